// The view Search: the tree of a beam search, step by step.

const column_width = 104, node_height = 22, tree_margin = 12;
const node_states = ["alive", "pruned", "ended"];

function show_search(parent) {
  const {steps} = state.translation.search_tree;
  if (steps.length === 0) return show_in(parent, element("p", {}, "This search had no steps."));
  const last = steps.length - 1, places = place_nodes(steps);
  const step = Math.min(state.step ?? last, last);
  const slider = element("input", {type: "range", id: "step", min: 0, max: last, value: step,
                                   "aria-label": "Step of the search"});
  const label = element("label", {for: "step"});
  const tree = element("div", {class: "scroll tree"}), table = element("div");
  const show_step = (shown) => {
    label.textContent = `Step ${shown + 1} of ${steps.length} `;
    show_in(tree, draw_tree(steps, shown, places));
    show_in(table, step_table(steps[shown], shown, places));
    tree.scrollLeft = (shown + 1) * column_width - tree.clientWidth * 0.7;
  };
  slider.addEventListener("input", () => show_step(state.step = Number(slider.value)));
  show_in(parent,
    element("div", {class: "step-line"}, label, slider, element("div", {class: "key"}, node_states.map((word) =>
      element("span", {class: "node " + word}, word)), element("span", {class: "node best"}, "best translation"))),
    element("p", {class: "faint"}, "The beam keeps those that are alive or ended. A pruned one was looked at only. Their " +
            "probabilities do not sum to 1: each belongs to a whole beginning of a translation, and the others are not here."),
    tree, table);
  show_step(step);
}

/// Gives each hypothesis a column (its step) and a row. In a column the children of one parent are together, in the
/// order of the parents, so lines seldom cross.
function place_nodes(steps) {
  const places = new Map([[-1, {column: -1, row: 0}]]);
  steps.forEach(({hypotheses}, column) => {
    const parent_row = (hypothesis) => places.get(hypothesis.parent)?.row ?? 0;
    [...hypotheses].sort((a, b) => parent_row(a) - parent_row(b) || b.log_probability - a.log_probability)
      .forEach((hypothesis, row) => places.set(hypothesis.id, {column, row, hypothesis}));
  });
  return places;
}

/// The tokens of a hypothesis.
function tokens_of({hypothesis}, places) {
  const tokens = [];
  for (let at = hypothesis; at !== undefined; at = places.get(at.parent)?.hypothesis) tokens.unshift(at.token);
  return tokens;
}

/// The best translation and its beginnings, as a set of ids. The best one has ended with the tokens of hypothesis 0.
function best_path(places) {
  const best = JSON.stringify(state.translation.hypotheses[0].tokens.map(({token}) => token));
  const path = new Set();
  const candidates = [...places.values()].filter(({hypothesis}) => hypothesis !== undefined);
  const end = candidates.find((place) => JSON.stringify(tokens_of(place, places)) === best);
  for (let at = end?.hypothesis; at !== undefined; at = places.get(at.parent)?.hypothesis) path.add(at.id);
  return path;
}

function draw_tree(steps, step, places) {
  const path = best_path(places), rows = Math.max(...steps.map(({hypotheses}) => hypotheses.length));
  const width = (steps.length + 0.6) * column_width, height = rows * node_height + 2 * tree_margin;
  const x = ({column}) => (column + 0.55) * column_width, y = ({row}) => tree_margin + (row + 0.5) * node_height;
  const nodes = [], lines = [];
  for (const [id, place] of places) {
    if (place.column > step) continue;
    const {hypothesis} = place;
    const kind = (hypothesis?.state ?? "alive") + (path.has(id) ? " best" : "");
    if (hypothesis !== undefined) {
      const parent = places.get(hypothesis.parent) ?? places.get(-1);
      const begin = Math.max(x(parent) + 78, 0), end = x(place), middle = (begin + end) / 2;
      lines.push(svg_element("path", {class: "edge " + kind, d: `M${parent.column < 0 ? x(parent) + 48 : begin} ` +
        `${y(parent)}C${middle} ${y(parent)} ${middle} ${y(place)} ${end} ${y(place)}`}));
    }
    nodes.push(tree_node(hypothesis, kind, x(place), y(place)));
  }
  return svg_element("svg", {width, height, viewBox: `0 0 ${width} ${height}`, role: "img",
                             "aria-label": "Tree of the search; the table below has the same hypotheses"},
                     lines, nodes);
}

function tree_node(hypothesis, kind, x, y) {
  const token = hypothesis === undefined ? "<s>" : visible(hypothesis.token);
  const shown = token.length > 10 ? token.slice(0, 9) + "…" : token;
  const left = hypothesis === undefined ? Math.max(x, 2) : x;
  return svg_element("g", {class: "node " + kind},
    svg_element("title", {}, hypothesis === undefined ? "the beginning" : node_words(hypothesis)),
    svg_element("rect", {x: left, y: y - 9, width: hypothesis === undefined ? 30 : 78, height: 18, rx: 4}),
    svg_element("text", {x: left + 4, y: y + 4}, shown));
}

function node_words({token, log_probability, score, state: what}) {
  return `${visible(token)}: ${what}, log-probability ${fixed(log_probability, 4)}, ` +
    `score ${fixed(score.power, 4)} (power), ${fixed(score.wu, 4)} (wu)`;
}

/// The hypotheses of one step with their scores, best first.
function step_table({hypotheses}, step, places) {
  const text = (tokens) => (tokens.length > 12 ? "… " : "") + tokens.slice(-12).map(visible).join(" ");
  return element("section", {"aria-label": "Hypotheses of this step"},
    element("h2", {}, `Hypotheses after step ${step + 1}`),
    table({id: "hypotheses"}, ["tokens", "", ...["log-probability", "score (power)", "score (wu)"].map(explained)],
      hypotheses.map(({id, state: what, log_probability, score}) => element("tr", {class: what},
        element("td", {}, text(tokens_of(places.get(id), places))), element("td", {}, what), number_cell(log_probability),
        number_cell(score.power), number_cell(score.wu)))));
}
