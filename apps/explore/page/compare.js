// The view Compare: the same sentence or image, translated by two models or by two checkpoints, side by side.

function show_compare(parent) {
  const {others} = state.model;
  if (!others.includes(state.compare_with)) state.compare_with = others[0];
  const select = choice({id: "compare with"}, others.map((name) => [name, name]), state.compare_with,
                        (compare_with) => change({compare_with}));
  show_in(parent,
    element("p", {class: "step-line"}, element("label", {for: "compare with"}, "Compare with"), select),
    element("div", {class: "columns"},
      compared_model("first", state.model.name, state.translation, state.picture, (picture) => change({picture})),
      other_model((other_picture) => change({other_picture}))));
}

/// The column of the other model. It translates with the same settings, but with all heads, and begins by itself.
function other_model(choose) {
  const {source, image, search} = state.shown, model = state.compare_with;
  const request = {model, search, ...(image === undefined ? {source} : {image})}, key = JSON.stringify(request);
  const {compared} = state;
  if (compared?.key !== key) ask_other(key, request);
  else if (compared.reply)
    return compared_model("second", model, compared.reply, state.other_picture ?? state.picture, choose);
  return element("section", {"aria-label": model}, element("h2", {}, model),
                 element("p", {class: "warning"}, compared?.key === key ? compared.error : "working …"));
}

async function ask_other(key, request) {
  try {
    state.compared = {key, reply: await ask_latest("/api/translate", request, "compare")};
  } catch (error) {
    if (error.name === "AbortError") return;
    state.compared = {key, error: error.message};
  }
  if (current_view() === "compare") render();
}

/// A translation with one of its maps. `choose` is called with the name of another map.
function compared_model(side, name, translation, picture_name, choose) {
  const hypothesis = translation.hypotheses[0];
  const tokens = hypothesis.tokens.map(({token, probability}) => with_variables(
    element("span", {class: "token shaded"}, element("span", {}, visible(token)),
            element("small", {}, percent(probability))), {shade: probability}));
  return element("section", {class: "compared", id: side, "aria-label": name}, element("h2", {}, name),
    element("p", {class: "text", lang: ""}, hypothesis.text), element("div", {class: "tokens"}, tokens),
    element("p", {class: "faint"}, "log-probability ", exact(hypothesis.log_probability, 4)),
    compared_map(side, name, translation, picture_name, choose));
}

function compared_map(side, name, translation, picture_name, choose) {
  const {all, chosen} = choice_of_pictures(translation, picture_name);
  if (chosen === undefined) return element("p", {}, "This model has no attention.");
  const select = picture_choice("picture " + side, all, chosen, choose);
  const matrix = chosen.matrix(), labels = fitting_labels(labels_of(chosen.kind, translation), matrix);
  const make_map = () => heat_map(`${name}: ${chosen.title}`, labels, matrix);
  return [element("p", {}, select, " ", save_button(`${name}:${chosen.name}`, make_map)),
          heat_map_details(make_map, matrix), weight_table(labels, matrix)];
}
