// The view Translate: the tokens of a translation with their probabilities, their rivals, and the n-best list.

function show_translate(parent) {
  const {translation} = state;
  const hypothesis = translation.hypotheses[state.hypothesis] ?? translation.hypotheses[0], {tokens} = hypothesis;
  const least = tokens.reduce((best, {probability}, i) => probability < tokens[best].probability ? i : best, 0);
  const chosen = state.token in tokens ? state.token : least;
  show_in(parent, element("div", {class: "columns"},
    element("div", {},
      element("section", {"aria-label": "Source"}, element("h2", {}, "Source"), source_tokens(translation)),
      element("section", {"aria-label": "Translation"},
        element("h2", {}, translation.image ? "Description" : "Translation"),
        element("p", {id: "translation", lang: ""}, hypothesis.text),
        token_row(hypothesis, chosen),
        element("p", {class: "faint"}, "The fuller the bar, the more probable the token. Choose a token to see its " +
                "rivals; at first they are those of the least probable one. The whole has ", explained("log-probability"), " ",
                exact(hypothesis.log_probability, 4), ".")),
      n_best_list(translation), experiment_list()),
    rivals_panel(hypothesis, chosen)));
}

function source_tokens(translation) {
  if (translation.image) return image_of(translation, "The image");
  const unknown = (translation.unknown_words ?? []).map((word) => `“${visible(word)}”`);
  return [
    element("div", {class: "tokens"}, translation.source_tokens.map((token) =>
      element("span", {class: "token"}, visible(token)))),
    unknown.length === 0 ? null :
      element("p", {class: "warning"}, `The model does not know ${unknown.join(", ")}.`)];
}

function token_row(hypothesis, chosen) {
  return element("div", {class: "tokens", id: "tokens"}, hypothesis.tokens.map(({token, probability, given}, i) => {
    const content = [element("span", {}, visible(token)), element("small", {}, percent(probability))];
    return with_variables(toggle(content, i === chosen, () => change({token: i}), {
      id: `token ${i}`, class: given ? "token shaded given" : "token shaded",
      "aria-description": given ? "This token was given." : null}), {shade: probability});
  }));
}

/// The ten most probable tokens at a step. Choosing one translates again: the tokens before it and itself are given.
function rivals_panel({tokens}, at) {
  const chosen = tokens[at], before = tokens.slice(0, at).map(({token}) => token);
  const rows = chosen.rivals.map(({token, probability}, i) => {
    const choose = () => {
      Object.assign(state, {token: null, request: {...state.request, prefix: [...before, token]}});
      translate();
    };
    return element("li", {}, with_variables(
      element("button", {type: "button", class: "rival", id: `rival ${i}`, disabled: saved !== null, onclick: choose,
                         "aria-current": token === chosen.token ? "true" : null},
        element("span", {}, visible(token)), element("span", {class: "bar"}),
        element("span", {}, percent(probability))),
      {shade: probability}));
  });
  return element("section", {"aria-label": "Rivals", id: "rivals"},
    element("h2", {}, `Rivals of “${visible(chosen.token)}”`),
    element("p", {class: "faint"}, saved === null ? "Choose one: the translation goes on from there. " :
      "The translation goes on from one of them only if the page is served by regard explore. ",
      "Their probabilities do not sum to 1, because these are at most ten tokens; the rest belongs to the others."),
    element("ol", {class: "rivals"}, rows));
}

function n_best_list({hypotheses, image}) {
  const row = (hypothesis, i) => element("tr", {},
    element("td", {}, String(i + 1)),
    element("td", {}, toggle(hypothesis.text === "" ? "(empty)" : hypothesis.text, i === state.hypothesis,
                             () => change({hypothesis: i, token: null}), {id: `hypothesis ${i}`, class: "link"})),
    number_cell(hypothesis.score), number_cell(hypothesis.log_probability));
  return element("section", {"aria-label": "n-best"},
    element("h2", {}, image ? "Best descriptions" : "Best translations"),
    table({id: "n-best"}, ["", "text", explained("score"), explained("log-probability")], hypotheses.map(row)),
    hypotheses.length > 1 || saved !== null ? null :
      element("p", {class: "faint"}, "More: set “n best” in the search settings."));
}
