// The view Heads: switch heads off, and how much the model needs each of them.

function show_heads(parent) {
  if (state.model.attention.length === 0) return show_in(parent, element("p", {}, "This model has no attention."));
  show_in(parent, element("div", {class: "columns"},
    element("section", {"aria-label": "Heads"},
      element("h2", {}, "Switch heads off"),
      element("p", {class: "faint"}, saved === null ?
        "The output of a head that is off is zero. Heads are counted from 0, as in the names of parameters." :
        "Heads can be switched off only if the page is served by regard explore."),
      element("div", {id: "heads"}, state.model.attention.map(head_row)),
      saved !== null ? null : element("p", {}, element("button", {
        type: "button", id: "all on", disabled: state.request.heads_off.length === 0,
        onclick: () => set_heads_off([])}, "All heads on"))),
    element("div", {}, comparison(), importance_section())));
}

function title_of({attention}) {
  return layer_title(state.model.attention.find(({name}) => name === attention));
}

function head_row({name, heads}) {
  const row = heads_of({name, heads});
  const all_off = row.every(is_off);
  const others = state.request.heads_off.filter((head) => head.attention !== name);
  return element("div", {class: "head-row", role: "group", "aria-label": title_of(row[0])},
    element("h3", {}, title_of(row[0]), " ", element("small", {}, name)),
    element("div", {}, row.map(head_toggle), heads === 1 || saved !== null ? null :
      element("button", {type: "button", class: "link", id: "row " + name,
                         onclick: () => set_heads_off(all_off ? others : [...others, ...row])},
              all_off ? "all on" : "all off")));
}

/// The heads of an attention of the model.
function heads_of({name, heads}) {
  return Array.from({length: heads}, (_, head) => ({attention: name, head}));
}

/// A head that is off is crossed out. It is pressed while it is on.
function head_toggle(head) {
  const off = is_off(head);
  return toggle(off ? `${head.head} off` : String(head.head), !off, () => switch_head(head),
                {id: "head " + head_id(head), class: off ? "head off" : "head", disabled: saved !== null,
                 "aria-label": `${title_of(head)}, head ${head.head}, ${off ? "off" : "on"}`});
}

function switch_head(head) {
  const others = state.request.heads_off.filter((other) => head_id(other) !== head_id(head));
  set_heads_off(is_off(head) ? others : [...others, head]);
}

/// Shows the switches at once, and the translation when it has come. A page may listen to the event "heads".
function set_heads_off(heads) {
  state.request.heads_off = heads;
  document.dispatchEvent(new Event("heads"));
  render();
  return translate();
}

/// The translation with all heads beside the one without those that are off.
function comparison() {
  const now = state.translation?.hypotheses[0];
  if (now === undefined) return null;
  const before = state.unchanged?.reply.hypotheses[0];
  const row = (name, id, hypothesis) => element("tr", {id}, element("th", {scope: "row"}, name),
    element("td", {}, hypothesis.text), number_cell(hypothesis.log_probability),
    element("td", {class: "number"}, percent(Math.exp(hypothesis.log_probability))));
  return element("section", {"aria-label": "Comparison"}, element("h2", {}, "The translation"),
    table({}, ["", "text", explained("log-probability"), "probability"], [
      before ? row("all heads", "with all heads", before) : null,
      state.shown.heads_off.length > 0 ? row("without them", "without heads", now) : null]));
}

/// How much the loss of a corpus grows without each head (Michel et al. 2019).
function importance_section() {
  const {importance} = state;
  if (!state.model.corpus || (saved !== null && importance === null)) return null;
  return element("section", {"aria-label": "Importance"}, element("h2", {}, "How much the model needs each head"),
    element("p", {class: "faint"}, "The growth of the loss on the given corpus if this head alone is off (Michel et " +
            "al. 2019). A negative growth means that the model is better without it."),
    importance !== null ? importance_table(importance) :
      element("button", {type: "button", id: "measure", onclick: measure_importance}, "Measure"));
}

async function measure_importance() {
  tell("measuring: one pass over the corpus per head …");
  try {
    state.importance = await ask_latest("/api/head_importance", {});
    tell("measured");
    render();
  } catch (error) {
    if (error.name !== "AbortError") tell(error.message, "error");
  }
}

function importance_table({loss, heads}) {
  const largest = Math.max(...heads.map((head) => Math.abs(head.growth)), 1e-12);
  return [
    element("p", {}, "Loss with all heads: ", exact(loss, 4)),
    table({id: "importance"}, ["head", "loss without it", "growth", ""], heads.map((head) => element("tr", {},
      element("td", {}, head_name_toggle(head)), number_cell(head.loss_without), number_cell(head.growth),
      element("td", {class: "bar-cell"}, with_variables(
        element("span", {class: head.growth < 0 ? "bar negative" : "bar"}), {shade: Math.abs(head.growth) / largest})))))];
}

function head_name_toggle(head) {
  return toggle(`${title_of(head)}, head ${head.head}${is_off(head) ? " (off)" : ""}`, !is_off(head), () => switch_head(head),
                {class: "link", id: "ranked " + head_id(head), disabled: saved !== null});
}
