// The labelled map of a matrix of weights as an SVG image, which can be saved. It looks like the image of
// apps/pictures/heat_map.cpp; the page draws it itself because it computes means and products of matrices. All colours are attributes, so the file needs no style sheet; style.css replaces them on the page.

const map_square = 24, map_gap = 6, map_title_height = 26;  // pixels

/// The width of the longest label in pixels. Another program may have a wider font, hence the 10 %.
function longest_width(labels) {
  const context = element("canvas").getContext("2d");
  context.font = "13px sans-serif";
  return 1.1 * Math.max(0, ...labels.map((label) =>
    typeof label === "string" ? context.measureText(label).width : grid_size));
}

/// A row for each query, a column for each key, and a square for each weight: the greater, the darker.
function heat_map(title, labels, matrix) {
  const left = longest_width(labels.queries) + 2 * map_gap;
  // The labels of the keys rise at an angle of 60 degrees.
  const keys_width = longest_width(labels.keys);
  const top = map_title_height + 0.87 * keys_width + 3 * map_gap;
  const width = Math.ceil(Math.max(left + map_square * matrix.columns + 0.5 * keys_width + map_gap,
                                   1.1 * longest_width([title]) + 2 * map_gap));
  const height = Math.ceil(top + map_square * matrix.rows + map_gap);
  const squares = [...matrix.values].map((weight, at) => {
    const i = Math.floor(at / matrix.columns), j = at % matrix.columns;
    return svg_element("rect", {
      x: left + map_square * j, y: top + map_square * i, width: map_square, height: map_square, fill: "#08306b",
      "fill-opacity": Math.min(weight, 1).toFixed(3), stroke: "#ccc",
    }, svg_element("title", {}, `${labels.queries[i]} – ${labels.keys[j]}: ${fixed(weight, 3)}`));
  });
  return svg_element("svg", {width, height, viewBox: `0 0 ${width} ${height}`, color: "#000", fill: "currentColor",
                             "font-family": "sans-serif", "font-size": 13, role: "img",
                             "aria-label": `${title}; the table below has the same weights`},
    svg_element("rect", {width, height, fill: "#fff"}),
    svg_element("text", {x: map_gap, y: 18, "font-weight": "bold"}, title),
    labels.keys.map((label, j) => map_label(label, left + map_square * j + 2, top - map_gap - grid_size, {
      transform: `translate(${left + map_square * (j + 0.6)} ${top - map_gap}) rotate(-60)`})),
    labels.queries.map((label, i) => map_label(label, left - map_gap - grid_size, top + map_square * i + 2, {
      x: left - map_gap, y: top + map_square * i + 16, "text-anchor": "end"})),
    squares);
}

/// A text at its place, or the grid of a position with its corner at x, y.
function map_label(label, x, y, text_place) {
  return typeof label === "string" ? svg_element("text", text_place, label) : position_grid(label, {x, y});
}

/// A button that saves an image as a file. `name` is that of the picture, `make` makes the SVG element.
function save_button(name, make) {
  const save = () => {
    const text = new XMLSerializer().serializeToString(make());
    const address = URL.createObjectURL(new Blob([text], {type: "image/svg+xml"}));
    element("a", {href: address, download: name.replace(/[:/]/g, "-") + ".svg"}).click();
    setTimeout(() => URL.revokeObjectURL(address), 60_000);  // the browser may read it after the click
  };
  return element("button", {type: "button", id: "save " + name, onclick: save}, "Save as SVG");
}

/// A long sentence has so many squares that its map is drawn only when it is opened.
const most_squares_at_once = 1600;

function heat_map_details(make, matrix) {
  return opened_later("heat-map", "The map with its labels", () => element("div", {class: "scroll"}, make()),
                      matrix.values.length <= most_squares_at_once);
}
