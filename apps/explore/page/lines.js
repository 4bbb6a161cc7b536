// The lines of the large picture of attention, on a canvas, because a long sentence has tens of thousands.

/// Weights below this share of the largest one have no line.
const faintest_line = 0.02;

/// Draws a line from each query (left) to each key (right); the larger its weight, the stronger the line. The lines
/// of the active token have another colour, and the others become faint.
function draw_lines(canvas, matrix, active) {
  const row_height = parseFloat(getComputedStyle(canvas).getPropertyValue("--row-height"));
  const width = canvas.clientWidth, height = row_height * Math.max(matrix.rows, matrix.columns);
  const dots = Math.min(window.devicePixelRatio, 16384 / height);  // browsers limit the size of a canvas
  canvas.width = width * dots;
  canvas.height = height * dots;
  with_variables(canvas, {height: height + "px"});
  const context = canvas.getContext("2d");
  context.scale(dots, dots);
  const largest = largest_of(matrix) || 1;
  const plain = colour("map-high").join(), marked = colour("accent").join();
  for (const on_top of [false, true])
    for (let i = 0; i < matrix.rows; ++i)
      for (let j = 0; j < matrix.columns; ++j) {
        const is_active = active.side === "queries" ? i === active.index : active.side === "keys" && j === active.index;
        const share = matrix.values[i * matrix.columns + j] / largest;
        if (is_active !== on_top || share < faintest_line) continue;
        const strength = active.side === null || is_active ? share : 0.15 * share;
        context.strokeStyle = `rgba(${is_active ? marked : plain}, ${strength})`;
        context.lineWidth = 0.5 + 2.5 * share;
        context.beginPath();
        context.moveTo(0, (i + 0.5) * row_height);
        context.bezierCurveTo(width / 3, (i + 0.5) * row_height, 2 * width / 3, (j + 0.5) * row_height, width,
                              (j + 0.5) * row_height);
        context.stroke();
      }
}
