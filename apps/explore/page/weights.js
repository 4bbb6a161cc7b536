// Arithmetic on attention weights. A matrix is {rows, columns, values}: row i holds the weights of query i, which sum
// to 1 unless a head is switched off; column j holds the weights that key j gets.

function make_matrix(rows, columns, values = new Float64Array(rows * columns)) {
  return {rows, columns, values};
}

/// The weights of one head of a reply.
function matrix_of(attention, head) {
  return make_matrix(attention.queries, attention.keys, attention.heads[head].weights);
}

/// The mean of matrices of one shape.
function mean_of(matrices) {
  const {rows, columns} = matrices[0];
  const mean = make_matrix(rows, columns);
  for (const {values} of matrices)
    for (let i = 0; i < values.length; ++i) mean.values[i] += values[i] / matrices.length;
  return mean;
}

/// The largest of the weights at each place.
function maximum_of(matrices) {
  const {rows, columns} = matrices[0];
  const maximum = make_matrix(rows, columns);
  for (const {values} of matrices)
    for (let i = 0; i < values.length; ++i) maximum.values[i] = Math.max(maximum.values[i], values[i]);
  return maximum;
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
  const {rows, columns} = weights;
  const result = make_matrix(rows, columns);
  for (let i = 0; i < rows; ++i) {
    let sum = 0;
    for (let j = 0; j < columns; ++j) {
      const value = 0.5 * weights.values[i * columns + j] + (i === j ? 0.5 : 0);
      result.values[i * columns + j] = value;
      sum += value;
    }
    for (let j = 0; j < columns; ++j) result.values[i * columns + j] /= sum;
  }
  return result;
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
