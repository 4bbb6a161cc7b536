// The view Attention: a grid of small maps, and one of them large.

function show_attention(parent) {
  const {groups, chosen} = choice_of_pictures(state.translation, state.picture);
  if (chosen === undefined) return show_in(parent, element("p", {}, "This model has no attention."));
  const draw_when_visible = lazy_maps();
  const maps = element("div", {},
    element("p", {class: "faint note"}, "Row: the query. Column: the key that it attends to. In each map, " +
            "the strongest colour is its largest weight. The maps are of the best translation."),
    groups.map((group) => map_group(group, chosen, draw_when_visible)));
  const large = element("section", {class: "large", id: "large", tabIndex: -1, "aria-label": "The large picture"});
  show_in(parent, skip_link(large), element("div", {class: "columns"}, maps, large));
  show_large(large, chosen);
}

/// For keyboards and screen readers: a link past the maps, which is visible while it has the focus. Its address names the
/// view that is open, because the part after the # is a view.
function skip_link(target) {
  return element("a", {class: "skip", id: "skip", href: "#attention", onclick: (event) => {
    event.preventDefault();
    target.focus();
  }}, "Skip the maps");
}

/// Returns a function that draws a map as soon as it is scrolled into view, or printed: a large model has 180 maps.
function lazy_maps() {
  const colours = [colour("map-low"), colour("map-high")], pictures = new Map();
  const observer = new IntersectionObserver((entries) =>
    entries.filter((entry) => entry.isIntersecting).forEach((entry) => draw(entry.target)), {rootMargin: "300px"});
  const draw = (canvas) => {
    observer.unobserve(canvas);
    draw_map(canvas, pictures.get(canvas).matrix(), colours);
  };
  window.onbeforeprint = () => [...pictures.keys()].forEach(draw);
  return (canvas, picture) => {
    pictures.set(canvas, picture);
    matchMedia("print").matches ? draw(canvas) : observer.observe(canvas);  // printing ends the dark colours: a new render
  };
}

function map_group(group, chosen, draw_when_visible) {
  const [title, meaning] = kind_titles[group.kind];
  return element("section", {},
    element("h2", {}, title), element("p", {class: "faint"}, meaning),
    group.rows.map((row) => row.pictures.length > 0 ? map_row(row, chosen, draw_when_visible) : null));
}

/// Six maps in a line, or fewer so that the lines are equally long.
function map_row({title, code, pictures}, chosen, draw_when_visible) {
  const lines = Math.ceil(pictures.length / 6), columns = lines < 2 ? 6 : Math.ceil(pictures.length / lines);
  return element("div", {role: "group", "aria-label": title},
    element("h3", {}, title, " ", element("small", {}, code)),
    with_variables(element("div", {class: "map-cells"}, pictures.map((picture) =>
      map_button(picture, chosen, draw_when_visible))), {columns}));
}

function map_button(picture, chosen, draw_when_visible) {
  const canvas = element("canvas", {"aria-hidden": "true"});
  draw_when_visible(canvas, picture);
  const content = [canvas, ...picture.label.map((line) => element("span", {}, line))];
  return toggle(content, picture.name === chosen.name, () => change({picture: picture.name}), {
    id: "map " + picture.name, class: picture.label.includes("off") ? "map off" : "map",
    "aria-description": `${picture.title}. ${meanings[picture.label.at(-1).split(" ").at(-1)] ?? ""}`});
}

/// The large picture: queries on the left, keys on the right, and a line for each weight.
function show_large(parent, picture) {
  const matrix = picture.matrix();
  const labels = fitting_labels(labels_of(picture.kind, state.translation), matrix);
  const canvas = element("canvas", {class: "line-canvas", "aria-hidden": "true"});
  const sentence = element("p", {class: "attends", role: "status"});
  const active = {side: null, index: 0};
  const draw_lines = line_drawing(canvas, matrix, active);
  const columns = {queries: token_column(labels.queries, "queries"), keys: token_column(labels.keys, "keys")};
  const update = () => {
    mark_weights(columns, matrix, active);
    draw_lines();
    sentence.textContent = weights_in_words(labels, matrix, active);
  };
  for (const [side, column] of Object.entries(columns)) {
    const choose = (event) => {
      const item = event.target.closest("li");
      if (item === null) return;
      Object.assign(active, {side, index: [...column.children].indexOf(item)});
      update();
    };
    column.addEventListener("mouseover", choose);
    column.addEventListener("focusin", choose);
    column.addEventListener("click", choose);
  }
  const make_map = () => heat_map(picture.title, labels, matrix);
  show_in(parent,
    element("div", {class: "step-line"}, element("h2", {}, picture.title), head_switch(picture),
            save_button(picture.name, make_map)),
    sentence,
    element("div", {class: "lines"},
      element("div", {class: "faint"}, "queries"), element("div"), element("div", {class: "faint"}, "keys"),
      columns.queries, canvas, columns.keys),
    heat_map_details(make_map, matrix),
    weight_table(labels, matrix));
  update();
}

/// A button that switches the head of the picture off or on; nothing for pictures of several heads.
function head_switch(picture) {
  const head = state.model.attention.flatMap(heads_of).find((one) => picture.name === head_id(one));
  if (head === undefined || saved !== null) return null;
  return element("button", {type: "button", id: "switch head", onclick: () => switch_head(head)},
                 is_off(head) ? "Switch this head on" : "Switch this head off");
}

/// Labels of another number than the matrix has rows and columns would name the wrong tokens.
function fitting_labels({queries, keys}, matrix) {
  const numbers = (count) => Array.from({length: count}, (_, i) => String(i));
  return {
    queries: queries.length === matrix.rows ? queries : numbers(matrix.rows),
    keys: keys.length === matrix.columns ? keys : numbers(matrix.columns),
  };
}

function token_column(labels, side) {
  return element("ol", {class: side}, labels.map((label) =>
    element("li", {}, element("button", {type: "button"}, element("span", {class: "label"}, drawn_label(label)),
                              element("span", {class: "weight"})))));
}

/// Shades the tokens on the other side by their weights, and writes the weights beside them.
function mark_weights(columns, matrix, active) {
  const other = active.side === "queries" ? "keys" : "queries";
  const weights = active.side === null ? [] :
    active.side === "queries" ? row_of(matrix, active.index) : column_of(matrix, active.index);
  for (const [side, column] of Object.entries(columns))
    [...column.children].forEach((item, i) => {
      const weight = side === other && active.side !== null ? weights[i] : 0;
      with_variables(item, {shade: weight});
      item.classList.toggle("active", side === active.side && i === active.index);
      item.querySelector(".weight").textContent = weight >= 0.005 ? fixed(weight, 2) : "";
    });
}

function weights_in_words(labels, matrix, {side, index}) {
  if (side === null) return "Point at a token, or choose one with the keys Tab and Enter.";
  const [from, weights, others] = side === "queries" ?
    [labels.queries[index] + " attends to", row_of(matrix, index), labels.keys] :
    [labels.keys[index] + " is attended to by", column_of(matrix, index), labels.queries];
  return from + " " + largest_indices(weights, 4).filter((i) => weights[i] >= 0.005)
    .map((i) => `${others[i]} (${fixed(weights[i], 3)})`).join(", ");
}

/// All weights as numbers.
function weight_table(labels, matrix) {
  return opened_later("weights", "All weights as a table", () =>
    table({}, ["", ...labels.keys.map(drawn_label)], labels.queries.map((query, i) => element("tr", {},
      element("th", {scope: "row"}, drawn_label(query)), row_of(matrix, i).map((weight) => element("td", {}, exact(weight, 3)))))));
}

/// Weights below this share of the largest one have no line, and only so many of the largest weights have one.
const faintest_line = 0.02, most_lines = 3000;

/// Returns a function that draws a line from each query (left) to each key (right): the larger the weight, the stronger
/// the line. Those of the active token have another colour, and the others become faint. The lines are on a canvas,
/// because a long sentence has tens of thousands.
function line_drawing(canvas, {rows, columns, values}, active) {
  const row_height = parseFloat(getComputedStyle(document.documentElement).getPropertyValue("--row-height"));
  const height = row_height * Math.max(rows, columns), largest = largest_of({values}) || 1;
  const visible = [...values.keys()].filter((at) => values[at] >= faintest_line * largest)
    .sort((a, b) => values[a] - values[b]);
  const draw = () => {
    const width = canvas.clientWidth, dots = Math.min(window.devicePixelRatio, 16384 / height);  // browsers limit it
    canvas.width = width * dots;
    canvas.height = height * dots;
    const context = canvas.getContext("2d"), plain = colour("map-high").join(), accent = colour("accent").join();
    context.scale(dots, dots);
    for (const [rank, at] of visible.entries()) {
      const i = Math.floor(at / columns), j = at % columns, share = values[at] / largest;
      const chosen = active.index === {queries: i, keys: j}[active.side];
      if (!chosen && rank < visible.length - most_lines) continue;
      const begin = (i + 0.5) * row_height, end = (j + 0.5) * row_height;
      context.globalAlpha = share * (active.side === null || chosen ? 1 : 0.15);
      context.strokeStyle = `rgb(${chosen ? accent : plain})`;
      context.lineWidth = 0.5 + 2.5 * share;
      context.beginPath();
      context.moveTo(0, begin);
      context.bezierCurveTo(width / 3, begin, 2 * width / 3, end, width, end);
      context.stroke();
    }
  };
  with_variables(canvas, {height: height + "px"});
  new ResizeObserver(draw).observe(canvas);  // it calls draw() at first, too
  return draw;
}
