// The frame of the page: which views there are, which one is open, and the begin.

const views = {
  translate: {title: "Translate", show: show_translate},
  attention: {title: "Attention", show: show_attention},
  captions: {title: "Captions", show: show_captions},
  heads: {title: "Heads", show: show_heads},
  search: {title: "Search", show: show_search},
  training: {title: "Training", show: show_training},
};

/// The views that have something to show, in the order of the navigation.
function possible_views() {
  const {model, runs} = state;
  return Object.keys(views).filter((name) =>
    name === "training" ? runs?.length > 0 : model !== null && (name !== "captions" || model.kind === "image"));
}

/// The view after the # of the address.
function current_view() {
  const name = location.hash.slice(1);
  return possible_views().includes(name) ? name : possible_views()[0];
}

/// Draws the current view from the state. The element with the focus keeps it, if it is there again.
function render() {
  const focused = document.activeElement?.id;
  const name = current_view(), view = by_id("view");
  for (const link of by_id("views").children)
    link.setAttribute("aria-current", link.hash === "#" + name ? "page" : "false");
  by_id("input").hidden = name === "training";
  show_changes(by_id("changes"));
  view.className = name;
  if (name === "training" || state.translation !== null || name === "heads") views[name].show(view);
  else show_in(view, element("p", {class: "faint"}, state.model?.kind === "image" ?
    "Choose an image to begin." : "Type a sentence to begin."));
  if (focused && focused !== document.activeElement?.id) by_id(focused)?.focus({preventScroll: true});
}

function model_summary({name, encoder, decoder, parameters}) {
  return `${name}: ${encoder} → ${decoder}, ${parameters.toLocaleString("en")} parameters`;
}

async function begin() {
  try {
    state.model = saved === null ? await ask("/api/model") : saved.model ?? null;
    state.runs = saved === null ? await ask("/api/runs") : saved.runs ?? [];
  } catch (error) {
    return tell(error.message, "error");
  }
  if (saved?.translation) {
    state.translation = saved.translation;
    state.request = state.shown = {...state.request, ...saved.request};
    if (state.request.heads_off.length === 0) state.unchanged = {key: "", reply: saved.translation};
  }
  if (state.model !== null) {
    document.title = `${state.model.name} – regard`;
    by_id("model").textContent = model_summary(state.model);
    by_id("input").prepend(...make_form());
  }
  if (saved !== null)
    tell("This is a saved page: the parts that need the model are switched off. regard explore MODEL_DIR serves the " +
         "whole page.");
  if (possible_views().length === 0) return tell("There is neither a model nor a training to show.", "error");
  show_in(by_id("views"), possible_views().map((name) => element("a", {href: "#" + name}, views[name].title)));
  window.addEventListener("hashchange", render);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", render);
  render();
  by_id("source")?.focus();
  watch_runs();
}

begin();
