// Attention weights: arithmetic, and the pictures that can be made of one translation. A matrix is {rows, columns,
// values}: row i holds the weights of query i, which sum to 1 unless a head is switched off or the window is local_p;
// column j holds the weights that key j gets.

function make_matrix(rows, columns, values = new Float64Array(rows * columns)) {
  return {rows, columns, values};
}

/// The weights of one head of a reply.
function matrix_of(attention, head) {
  return make_matrix(attention.queries, attention.keys, attention.heads[head].weights);
}

/// Combines the weights at each place of matrices of one shape.
function combined(matrices, combine) {
  const {rows, columns} = matrices[0];
  const values = matrices[0].values.map((_, at) => matrices.reduce((sum, one) => combine(sum, one.values[at]), 0));
  return make_matrix(rows, columns, values);
}

function mean_of(matrices) {
  return combined(matrices, (sum, value) => sum + value / matrices.length);
}

/// The product of two matrices.
function product_of(left, right) {
  const product = make_matrix(left.rows, right.columns);
  for (let i = 0; i < left.rows; ++i)
    for (let k = 0; k < left.columns; ++k) {
      const factor = left.values[i * left.columns + k];
      if (factor === 0) continue;
      for (let j = 0; j < right.columns; ++j)
        product.values[i * right.columns + j] += factor * right.values[k * right.columns + j];
    }
  return product;
}

/// Half of what passes a layer goes through its residual connection: A = 0.5 W + 0.5 I, rows normalised.
function with_residual(weights) {
  return make_matrix(weights.rows, weights.columns, Array.from({length: weights.rows}, (_, i) => {
    const row = row_of(weights, i).map((weight, j) => 0.5 * weight + (i === j ? 0.5 : 0));
    const sum = row.reduce((sum, value) => sum + value);
    return row.map((value) => value / sum);
  }).flat());
}

/// Attention rollout: how much of each input reaches each output of the last layer, A_L ... A_2 A_1, where W of a
/// layer is the mean over its heads (Abnar and Zuidema 2020, "Quantifying Attention Flow in Transformers").
function rollout_of(layers) {
  return layers.map(with_residual).reduce((below, layer) => product_of(layer, below));
}

function largest_of(matrix) {
  let largest = 0;
  for (const value of matrix.values) largest = Math.max(largest, value);
  return largest;
}

/// The indices of the largest of some numbers, largest first.
function largest_indices(values, count) {
  return [...values.keys()].sort((a, b) => values[b] - values[a]).slice(0, count);
}

function row_of(matrix, i) {
  return Array.from({length: matrix.columns}, (_, j) => matrix.values[i * matrix.columns + j]);
}

function column_of(matrix, j) {
  return Array.from({length: matrix.rows}, (_, i) => matrix.values[i * matrix.columns + j]);
}

const kind_titles = {
  source: ["Source", "each token of the translation attends to the source"],  // which word was translated by which
  encoder: ["Encoder", "each token of the source attends to the source"],
  decoder: ["Decoder", "each token of the translation attends to the translation so far"],
};

function layer_title({kind, layer}) {
  return `${kind_titles[kind][0]}, layer ${layer}`;
}

/// The labels of both sides, {queries, keys}: the texts of tokens, or the positions of an image.
function labels_of(kind, translation) {
  const source = translation.image ? positions_of(translation.image) : translation.source_tokens.map(visible);
  const outputs = translation.hypotheses[0].tokens.map((token) => visible(token.token));
  if (kind === "encoder") return {queries: source, keys: source};
  if (kind === "source") return {queries: outputs, keys: source};
  // Query i of the decoder reads token i - 1 and predicts token i.
  const inputs = ["<s>", ...outputs.slice(0, -1)];
  return {queries: inputs.map((input, i) => `${input} → ${outputs[i]}`), keys: inputs};
}

/// The positions of an image, row by row. As a text, a position is "row 2, column 3", counted from 1.
function positions_of({rows, columns}) {
  return Array.from({length: rows * columns}, (_, at) => {
    const row = Math.floor(at / columns), column = at % columns;
    return {rows, columns, row, column, toString: () => `row ${row + 1}, column ${column + 1}`};
  });
}

/// A picture has the name by which it is chosen, a title, a label of short lines, the kind of attention, and a function
/// that makes its matrix, which is called once.
function make_picture(name, title, label, kind, make) {
  let matrix = null;
  return {name, title, label, kind, matrix: () => (matrix ??= make())};
}

/// The number of a head, the place that it attends to and its entropy: ["0: previous", "0.21 nats"].
function head_label(attention, head) {
  if (is_off({attention: attention.name, head})) return [`${head}:`, "off"];
  const {looks_at, entropy} = attention.heads[head];
  const places = {previous: "previous", next: "next", same: "same", begin: "first", end: "</s>"};
  return [looks_at in places ? `${head}: ${places[looks_at]}` : String(head), `${fixed(entropy, 2)} nats`];
}

/// The pictures of one layer: its heads, their mean and their maximum.
function layer_pictures(attention) {
  const heads = attention.heads.map((_, head) => make_picture(
    `${attention.name}:${head}`, `${layer_title(attention)}, head ${head}`, head_label(attention, head), attention.kind,
    () => matrix_of(attention, head)));
  return heads.length === 1 ? heads : [...heads, ...together(
    attention.name, layer_title(attention), "heads", attention.kind, () => heads.map((picture) => picture.matrix()))];
}

/// The mean and the maximum over some matrices.
function together(name, title, over, kind, matrices) {
  return [["mean", mean_of], ["maximum", (all) => combined(all, Math.max)]].map(([word, combine]) => make_picture(
    `${name}:${word}`, `${title}, ${word} over ${over}`, [word], kind, () => combine(matrices())));
}

/// The pictures of all layers of one kind together.
function kind_pictures(kind, layers) {
  if (layers.length < 2) return [];
  const heads_of_layer = (layer) => layer.heads.map((_, head) => matrix_of(layer, head)), title = kind_titles[kind][0];
  const pictures = together(kind, title, "layers and heads", kind, () => layers.flatMap(heads_of_layer));
  // Rollout follows the tokens through the layers, so queries and keys must be the same tokens.
  if (kind !== "source")
    pictures.push(make_picture(
      `${kind}:rollout`, `${title}, attention rollout`, ["rollout"], kind,
      () => rollout_of(layers.map((layer) => mean_of(heads_of_layer(layer))))));
  return pictures;
}

/// All pictures of a translation: [{kind, rows: [{title, code, pictures}]}], where code is the name of a module.
function pictures_of(translation) {
  return Object.keys(kind_titles).flatMap((kind) => {
    const layers = translation.attention.filter((attention) => attention.kind === kind);
    if (layers.length === 0) return [];
    return [{kind, rows: [{title: "All layers", code: "", pictures: kind_pictures(kind, layers)}, ...layers.map((layer) => (
      {title: layer_title(layer), code: layer.name, pictures: layer_pictures(layer)}))]}];
  });
}

/// The same with {groups, all: [picture], chosen: the picture of this name, or the first}.
function choice_of_pictures(translation, name) {
  const groups = pictures_of(translation), all = groups.flatMap(({rows}) => rows.flatMap(({pictures}) => pictures));
  return {groups, all, chosen: all.find((picture) => picture.name === name) ?? all[0]};
}

/// A list to choose one of these pictures by its title.
function picture_choice(id, pictures, chosen, choose) {
  return choice({id, "aria-label": "Attention"}, pictures.map(({name, title}) => [name, title]), chosen.name, choose);
}

/// Draws a matrix into a canvas, one pixel per weight; the style sheet makes it larger. The largest weight has the
/// strongest colour. `low` and `high` are the colours of the smallest and the largest weight.
function draw_map(canvas, matrix, [low, high]) {
  const {rows, columns, values} = matrix;
  canvas.width = columns;
  canvas.height = rows;
  const context = canvas.getContext("2d");
  const image = context.createImageData(columns, rows);
  const scale = 1 / (largest_of(matrix) || 1);
  for (let i = 0; i < values.length; ++i) {
    const share = values[i] * scale;
    for (let c = 0; c < 3; ++c) image.data[4 * i + c] = low[c] + (high[c] - low[c]) * share;
    image.data[4 * i + 3] = 255;
  }
  context.putImageData(image, 0, 0);
}
