/// The five things to try of apps/explore/README.md, for the model that they are about.
const farmer = ">>fr<< the old farmer bought a red car", first_heads = "encoder.layers.0.self_attn";
const experiments = [
  ["Words that change places", "the lines of “voiture” and “rouge” cross", "attention", {source: farmer}],
  ["Agreement", "choose the rival “la” of “le”", "translate", {source: farmer, token: 0}],
  ["Heads that count", "without this one, how far does the log-probability fall?", "heads",
   {source: farmer, heads_off: [{attention: first_heads, head: 0}]}],
  ["The length penalty", "with alpha 0, the second translation leaves out the man", "translate",
   {source: ">>fr<< she gives some small red cars to the man", search: {n_best: 3, alpha: 0}}],
  ["Memorising", "train on 500 sentences, and compare the curves", "training"],
];

function experiment_list() {
  const {tags, attention} = state.model;
  if (saved !== null || !tags.includes(">>fr<<") || attention[0]?.name !== first_heads) return null;
  return element("section", {"aria-label": "Experiments"}, element("h2", {}, "Five things to try"),
    element("ol", {}, experiments.map(([title, about, view, request]) => element("li", {}, element("a", {
      href: "#" + view, onclick: () => { if (request) begin_with({heads_off: [], ...request}); }}, title), ": " + about))));
}
