// The page before there is a translation, and what one can begin with: sentences and experiments.

function show_start(parent) {
  const {kind, examples = []} = state.model;  // the examples are sentences of the model's corpus
  show_in(parent, element("div", {class: "columns"},
    element("div", {}, element("p", {}, kind === "image" ? "Choose an image to begin." :
      `Type a sentence to begin${examples.length > 0 ? ", or choose one of the corpus:" : "."}`),
      element("ul", {class: "note"}, examples.map((source) => element("li", {}, element("button", {
        type: "button", class: "link example", onclick: () => begin_with({source})}, source)))),
      experiment_list()),
    element("section", {}, element("h2", {}, "What the views show"),
      element("ul", {id: "what"}, possible_views().map((name) => element("li", {}, `${views[name].title}: ${views[name].about}`))))));
}

/// Translates a sentence, perhaps with other settings of the search or without some heads. The controls show it.
function begin_with({source, search = {}, heads_off = state.request.heads_off, token = null}) {
  by_id("source").value = source;
  for (const [name, value] of Object.entries(search)) by_id("setting " + name).value = value;
  Object.assign(state.request.search, search);
  state.request.heads_off = heads_off;
  translate_new({source});
  Object.assign(state, {token, picture: null});
}

/// Says which tags there are, unless the sentence begins with one or the model has none.
function tag_remark() {
  const {model, shown} = state, tags = model?.tags ?? [], most = 20;
  if (tags.length === 0 || tags.includes(shown?.source.trim().split(/\s/)[0])) return null;
  return element("p", {id: "tags"}, shown === null ? null : element("span", {class: "warning"},
    "This sentence has no tag of the model, so the model guesses what is wanted. "), "A sentence for this model begins " +
    `with a tag, which says what it becomes (for example, the language): ${tags.slice(0, most).join(", ")}${tags.length > most ? ", …" : "."}`);
}

/// The five things to try of apps/explore/README.md, for the model that they are about.
const farmer = ">>fr<< the old farmer bought a red car";
const experiments = (last_head) => [
  ["Words that change places", "the lines of “voiture” and “rouge” cross", "attention", {source: farmer}],
  ["Agreement", "choose the rival “les” of “le”", "translate", {source: farmer, token: 0}],
  ["Heads that count", "without this one, how far does the log-probability fall?", "heads",
   {source: farmer, heads_off: [last_head]}],
  ["The length penalty", "with alpha 0, the second translation leaves out the man", "translate",
   {source: ">>fr<< she gives some small red cars to the man", search: {n_best: 3, alpha: 0}}],
  ["Memorising", "train on 500 sentences, and compare the curves", "training"],
];

function experiment_list() {
  const {tags, attention} = state.model;
  const last = attention.findLast(({kind}) => kind === "source");
  if (saved !== null || !tags.includes(">>fr<<") || attention[0]?.name !== "encoder.layers.0.self_attn") return null;
  return element("section", {"aria-label": "Experiments"}, element("h2", {}, "Five things to try"),
    element("ol", {}, experiments({attention: last.name, head: last.heads - 1}).map(([title, about, view, request]) =>
      element("li", {}, element("a", {href: "#" + view, onclick: () => {
        if (request) begin_with({heads_off: [], ...request});
      }}, title), ": " + about))));
}
