// The lines of the large picture of attention, on a canvas, because a long sentence has tens of thousands.

/// Weights below this share of the largest one have no line, and only so many of the largest weights have one.
const faintest_line = 0.02, most_lines = 3000;

/// Lines from each query (left) to each key (right): the larger the weight, the stronger the line.
class LineDrawing {
  constructor(canvas, matrix) {
    this.canvas = canvas;
    this.matrix = matrix;
    this.row_height = parseFloat(getComputedStyle(document.documentElement).getPropertyValue("--row-height"));
    this.height = this.row_height * Math.max(matrix.rows, matrix.columns);
    this.largest = largest_of(matrix) || 1;
    this.active = {side: null, index: 0};
    with_variables(canvas, {height: this.height + "px"});
    new ResizeObserver(() => this.resize()).observe(canvas);  // it calls resize() at first, too
  }

  /// Draws all lines into a picture of their own, so that pointing at a token need not draw them again.
  resize() {
    this.width = this.canvas.clientWidth;
    if (this.width === 0) return;
    this.dots = Math.min(window.devicePixelRatio, 16384 / this.height);  // browsers limit the size of a canvas
    this.canvas.width = this.width * this.dots;
    this.canvas.height = this.height * this.dots;
    this.all = element("canvas", {width: this.canvas.width, height: this.canvas.height});
    const {values, columns} = this.matrix;
    const visible_lines = [...values.keys()].filter((at) => values[at] / this.largest >= faintest_line);
    visible_lines.sort((a, b) => values[a] - values[b]);
    const context = this.context_of(this.all), colours = colour("map-high").join();
    for (const at of visible_lines.slice(-most_lines))
      this.line(context, Math.floor(at / columns), at % columns, colours);
    this.show(this.active);
  }

  /// The lines of the active token have another colour, and the others become faint.
  show(active) {
    this.active = active;
    if (this.all === undefined) return;
    const context = this.context_of(this.canvas);
    context.globalAlpha = active.side === null ? 1 : 0.15;
    context.clearRect(0, 0, this.width, this.height);
    context.drawImage(this.all, 0, 0, this.width, this.height);
    context.globalAlpha = 1;
    const colours = colour("accent").join(), {rows, columns} = this.matrix;
    if (active.side === "queries") for (let j = 0; j < columns; ++j) this.line(context, active.index, j, colours);
    if (active.side === "keys") for (let i = 0; i < rows; ++i) this.line(context, i, active.index, colours);
  }

  /// Its unit is a pixel of the style sheet, whatever the resolution of the screen is.
  context_of(canvas) {
    const context = canvas.getContext("2d");
    context.setTransform(this.dots, 0, 0, this.dots, 0, 0);
    return context;
  }

  line(context, i, j, colours) {
    const share = this.matrix.values[i * this.matrix.columns + j] / this.largest;
    if (share < faintest_line) return;
    const begin = (i + 0.5) * this.row_height, end = (j + 0.5) * this.row_height;
    context.strokeStyle = `rgba(${colours}, ${share})`;
    context.lineWidth = 0.5 + 2.5 * share;
    context.beginPath();
    context.moveTo(0, begin);
    context.bezierCurveTo(this.width / 3, begin, 2 * this.width / 3, end, this.width, end);
    context.stroke();
  }
}
