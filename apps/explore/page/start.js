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
