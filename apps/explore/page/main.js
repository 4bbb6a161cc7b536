// The page of regard explore: which views there are, and how it begins.

const views = {
  translate: {title: "Tokens", about: "the probability of each token, and its rivals; the n-best list", show: show_translate},
  attention: {title: "Attention", about: "which tokens each head of each layer attends to", show: show_attention},
  captions: {title: "Captions", about: "the places of the image that each word attends to", show: show_captions},
  compare: {title: "Compare", about: "two models or checkpoints, side by side", show: show_compare},
  heads: {title: "Heads", about: "the translation without some heads; how much each is needed", show: show_heads},
  search: {title: "Search", about: "the tree of the beam search, step by step", show: show_search},
  training: {title: "Training", about: "learning curves, also while a training runs", show: show_training},
};

/// The views that have something to show, in the order of the navigation.
function possible_views() {
  const {model, runs} = state;
  const is_possible = {
    training: () => runs?.length > 0,
    captions: () => model?.kind === "image",
    compare: () => saved === null && model?.others.length > 0,
  };
  return Object.keys(views).filter((name) => is_possible[name]?.() ?? model !== null);
}

function model_summary({name, own, encoder, decoder, parameters, shortlist}) {
  return `${name}: ${own || `${encoder} → ${decoder}`}, ${parameters.toLocaleString("en")} parameters` +
    (shortlist ? "; scores are over the tokens of the shortlist" : "");
}

async function begin() {
  try {
    state.model = saved === null ? await ask("/api/model") : saved.model ?? null;
    Object.assign(state, await curves());
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
