// The view Training: curves, the test sentence as it is translated again and again, and all maps of its attention.

const watched = {key: null, root: null, maps: new Map()};  // maps: name of a picture → its canvas

/// Builds the view once for a model, and brings its numbers up to date.
function show_training(parent) {
  const key = JSON.stringify([state.model.attention, play.made.test]);
  if (watched.key !== key) Object.assign(watched, {key, maps: new Map(), root: training_view()});
  if (parent.firstChild !== watched.root) show_in(parent, watched.root);
  update_training();
}

function training_view() {
  const {source, target} = play.made.test;
  const row = (id, title, side) => element("div", {class: "tokens", id, "aria-label": title, role: "group",
    onclick: ({target: clicked}) => {
      const position = [...by_id(id).children].indexOf(clicked.closest("button"));
      if (position >= 0) look_inside({side, position});
    }});
  const slider = element("input", {type: "range", id: "moment", min: 0, max: 0, value: 0, oninput: () => {
    past.at = Number(slider.value) === past.moments.length - 1 ? null : Number(slider.value);
    update_training();
  }, "aria-label": "The training's past", "aria-description": "Go back: the page remembers at most " +
    `${most_moments} moments of this training. At the right end, it follows the training.`});
  const curve = (id, title, about) => element("figure", {}, element("h2", {}, element("span", {tabIndex: 0, "aria-description": about}, title), " ",
    element("output", {id: id + " now"})), element("canvas", {id, class: "curve-canvas", role: "img", "aria-label": title}));
  return element("div", {},
    element("div", {class: "stage"},
      curve("loss", "Loss", "−log p of a right word, in the mean of a batch: 0 if the model is always sure and right. The lower, the better."),
      curve("exact", "Exact match", "Of the pairs that the model never trains on: how many does it translate without any fault?"),
      element("section", {"aria-label": "Test sentence"},
        element("h2", {}, element("span", {tabIndex: 0, "aria-description": "The fuller the bar, the surer the model. Choose a token " +
          "to see the numbers in it."}, "A test sentence, translated again and again")),
        element("p", {class: "faint"}, `The right translation: ${target}`),
        row("test source", `Source: ${source}`, "source"), row("test tokens", "Translation", "target"),
        element("div", {class: "step-line"}, slider, element("label", {for: "moment", id: "moment label"})))),
    element("div", {class: "kinds", id: "maps"}),
    element("div", {class: "columns", id: "inner"}, element("section", {id: "large map", "aria-label": "The large map"}), element("div", {id: "inside place"})));
}

/// The maps of heads, without means and rollouts.
function head_groups(translation) {
  return pictures_of(translation).map(({kind, rows}) => ({kind, rows: rows.filter(({code}) => code !== "").map((row) => (
    {...row, pictures: row.pictures.filter(({name}) => /:\d+$/.test(name))}))}));
}

/// As many children as there are contents; `make` makes one. So an element keeps the focus while its content changes.
function keep_children(parent, count, make) {
  while (parent.children.length > count) parent.lastChild.remove();
  while (parent.children.length < count) parent.append(make());
  return [...parent.children];
}

function update_tokens(id, side, tokens) {
  const make = () => element("button", {type: "button", class: "token shaded"}, element("span"), element("small"));
  keep_children(by_id(id), tokens.length, make).forEach((button, i) => {
    const {token, probability} = tokens[i];
    button.children[0].textContent = visible(token);
    button.children[1].textContent = probability === undefined ? "" : percent(probability);
    with_variables(button, {shade: probability ?? 0});
    button.setAttribute("aria-pressed", String(inside.side === side && inside.position === i));
  });
}

/// Shows the moment of the slider, or the last one. Curves grow with each event, but a new moment is rarer. Each part takes
/// some milliseconds; who draws them one by one may leave them when the moment is shown no more.
function* parts_of_training({only_new = false} = {}) {
  const moment = shown_moment(), is_shown = () => moment === shown_moment() && current_view() === "training";
  if (moment === undefined || !is_shown()) return;
  update_curves(moment);
  yield;
  if (only_new && watched.moment === moment || !is_shown()) return;
  watched.moment = moment;
  const {translation, step} = moment, slider = by_id("moment");
  update_tokens("test source", "source", translation.source_tokens.map((token) => ({token})));
  update_tokens("test tokens", "target", translation.hypotheses[0].tokens);
  slider.max = past.moments.length - 1;
  slider.value = past.at ?? slider.max;
  by_id("moment label").textContent = past.at === null ? `step ${step}, now` : `back at step ${step}`;
  for (const part of [update_maps, update_large, update_inside]) {
    yield;
    if (is_shown()) part(translation);
  }
}

function update_training(options) {
  for (const _ of parts_of_training(options));
}

function update_curves({step}) {
  const last = past.losses.at(-1)?.[0] ?? 0, most = Math.max(...past.losses.slice(0, 20).map(([, loss]) => loss), 0) || 1;
  const now = past.at === null ? last : step, value_at = (points) => points.findLast(([at]) => at <= now)?.[1];
  draw_curve(by_id("loss"), past.losses, {most: 1.1 * most, last, step: now, unit: ""});
  draw_curve(by_id("exact"), past.exact, {most: 100, last, step: now, unit: " %"});
  by_id("loss now").textContent = fixed(value_at(past.losses), 3);
  by_id("exact now").textContent = value_at(past.exact) === undefined ? "" : `${value_at(past.exact).toFixed(0)} %`;
}

/// The groups of maps, all maps, and the one that is large.
function pictures_of_heads(translation) {
  const groups = head_groups(translation), pictures = groups.flatMap(({rows}) => rows.flatMap((row) => row.pictures));
  return {groups, pictures, chosen: pictures.find(({name}) => name === state.picture) ?? pictures[0]};
}

function update_maps(translation) {
  const {groups, pictures, chosen} = pictures_of_heads(translation);
  if (pictures.length === 0)
    return show_in(by_id("maps"), element("p", {class: "none"}, "This model has no attention: all that the decoder knows of the source is one vector."));
  if (watched.maps.size === 0)
    show_in(with_variables(by_id("maps"), {heads: Math.min(8, Math.max(4, ...state.model.attention.map(({heads}) => heads)))}),
            groups.map((group) => map_group(group, chosen, (canvas, {name}) => watched.maps.set(name, canvas))));
  const colours = [colour("map-low"), colour("map-high")];
  for (const picture of pictures) {
    const canvas = watched.maps.get(picture.name), button = canvas.parentElement;
    draw_map(canvas, picture.matrix(), colours);
    picture.label.forEach((line, i) => { button.children[i + 1].textContent = line; });
    button.classList.toggle("off", picture.label.includes("off"));
    button.setAttribute("aria-pressed", String(picture === chosen));
  }
}

/// The large map. Its weights can be chosen with the pointer and with the arrow keys.
function update_large(translation) {
  const parent = by_id("large map"), {chosen: picture} = pictures_of_heads(translation);
  if (picture === undefined) return;
  if (parent.dataset.picture !== picture.name + is_off(head_of(picture.name))) {
    parent.dataset.picture = picture.name + is_off(head_of(picture.name));
    show_in(parent, element("div", {class: "step-line"}, element("h2", {}, picture.title), head_switch(picture),
                            save_button(picture.name, () => labelled_map(picture, shown_moment().translation))),
      element("p", {class: "faint"}, "A row is a query, a column is a key. Choose a square to see the equation of its weight."),
      clickable_map());
  }
  fill_clickable(parent.querySelector(".weights-map"), picture, translation);
}

function labelled_map({name, kind}, translation) {
  const {title, matrix} = head_groups(translation).flatMap(({rows}) => rows.flatMap(({pictures}) => pictures)).find((one) => one.name === name);
  return heat_map(title, fitting_labels(labels_of(kind, translation), matrix()), matrix());
}
