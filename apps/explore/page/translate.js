// The view Translate: the tokens of a translation with their probabilities, their rivals, and the n-best list.

function show_translate(parent) {
  const {translation} = state;
  const hypothesis = translation.hypotheses[state.hypothesis] ?? translation.hypotheses[0];
  show_in(parent,
    element("div", {},
      element("section", {"aria-label": "Source"}, element("h2", {}, "Source"), source_tokens(translation)),
      element("section", {"aria-label": "Translation"},
        element("h2", {}, translation.image ? "Description" : "Translation"),
        element("p", {id: "translation", lang: ""}, hypothesis.text),
        token_row(hypothesis),
        element("p", {class: "faint"}, "The fuller the bar, the more probable the token. Choose a token to see its " +
                "rivals. The whole has log-probability ", exact(hypothesis.log_probability, 4), ".")),
      rivals_panel(hypothesis)),
    element("div", {}, n_best_list(translation)));
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

function token_row(hypothesis) {
  return element("div", {class: "tokens", id: "tokens"}, hypothesis.tokens.map(({token, probability, given}, i) => {
    const content = [element("span", {}, visible(token)), element("small", {}, percent(probability))];
    const chosen = i === state.token;
    return with_variables(toggle(content, chosen, () => change({token: chosen ? null : i}), {
      id: `token ${i}`, class: given ? "token shaded given" : "token shaded",
      title: given ? "This token was given." : ""}), {shade: probability});
  }));
}

/// The ten most probable tokens at a step. Choosing one translates again: the tokens before it and itself are given.
function rivals_panel(hypothesis) {
  const chosen = hypothesis.tokens[state.token];
  if (chosen === undefined) return null;
  const before = hypothesis.tokens.slice(0, state.token).map(({token}) => token);
  const rows = chosen.rivals.map(({token, probability}, i) => {
    const choose = () => {
      state.request.prefix = [...before, token];
      state.token = null;
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
    element("p", {class: "faint"}, saved === null ? "Choose one: the translation goes on from there." :
      "The translation goes on from one of them only if the page is served by regard explore."),
    element("p", {class: "faint"}, "Their probabilities do not sum to 1, because these are only the most probable " +
            "tokens, at most ten; the rest belongs to the other tokens of the vocabulary."),
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
    table({id: "n-best"}, ["", "text", "score", "log-probability"], hypotheses.map(row)),
    hypotheses.length > 1 || saved !== null ? null :
      element("p", {class: "faint"}, "More: set “n best” in the search settings."));
}
