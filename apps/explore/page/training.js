// The view Training: the numbers that trainings log, as curves, also while they run.

const plots = [
  {title: "training loss", table: "points", column: "loss", digits: 4},
  {title: "validation loss", table: "validations", column: "loss", digits: 4},
  {title: "BLEU of the validation", table: "validations", column: "bleu", digits: 2},
  {title: "learning rate", table: "points", column: "learning_rate", digits: 6},
  {title: "gradient norm", table: "points", column: "gradient_norm", digits: 3},
  {title: "tokens/s", table: "points", column: "tokens_per_second", digits: 0},
];
const plot_size = {width: 340, height: 210, left: 52, right: 20, top: 10, bottom: 24};
const hidden_runs = new Set();

function show_training(parent) {
  const runs = state.runs.filter((run) => !hidden_runs.has(run.name));
  const shown = plots.map((plot) => make_plot(plot, runs));
  show_in(parent,
    element("div", {class: "key", role: "group", "aria-label": "Trainings"}, state.runs.map((run, i) =>
      toggle([run_sample(i), run.name], !hidden_runs.has(run.name), () => {
        if (!hidden_runs.delete(run.name)) hidden_runs.add(run.name);
        render();
      }, {id: "run " + run.name, class: "run", title: run.directory}))),
    element("div", {class: "plots"}, shown.map(({figure}) => figure)));
}

/// The class of a run's curve: six colours, then the same with dashes.
function run_class(run) {
  const i = state.runs.indexOf(run);
  return `curve colour-${i % 6} dash-${Math.floor(i / 6) % 3}`;
}

function run_sample(i) {
  return svg_element("svg", {width: 26, height: 10, "aria-hidden": "true"},
    svg_element("path", {class: run_class(state.runs[i]), d: "M0 5h26"}));
}

/// The steps and numbers of a run for a plot, without those that are not there. `averaged` is the number of
/// checkpoints if the numbers are those of their mean.
function points_of(run, {table, column}) {
  const {step, averaged} = run[table], values = run[table][column];
  return step.map((at, i) => ({step: at, value: values[i], averaged: averaged?.[i] ?? 0, index: i}))
    .filter(({value}) => value !== null);
}

/// Round numbers from `least` to `most`, at most `count` + 1 of them, and the range that they span.
function make_scale(least, most, count) {
  const narrowest = Math.max(Math.abs(least), Math.abs(most), 1e-100) * 1e-4;
  if (most - least < narrowest) [least, most] = [least - narrowest, most + narrowest];
  const length = (most - least) / count, power = 10 ** Math.floor(Math.log10(length));
  const step = power * ([1, 2, 5].find((factor) => factor * power >= length) ?? 10);
  const first = Math.floor(least / step + 1e-6), last = Math.ceil(most / step - 1e-6);
  const ticks = Array.from({length: last - first + 1}, (_, i) => (first + i) * step);
  return {least: first * step, most: last * step, ticks};
}

/// "0.5", "20", "40k", "1.5M", "1e-5".
function tick_text(value) {
  const size = Math.abs(value), short = (number) => String(Number(number.toPrecision(6)));
  if (size >= 1e9 || (size > 0 && size < 1e-4)) return value.toExponential(4).replace(/\.?0*e\+?/, "e");
  return size >= 1e6 ? short(value / 1e6) + "M" : size >= 1e4 ? short(value / 1e3) + "k" : short(value);
}

/// One plot with a curve per run, and below it the numbers at the update under the pointer.
function make_plot(plot, runs) {
  const series = runs.map((run) => ({run, points: points_of(run, plot)}));
  const values = series.flatMap(({points}) => points.map(({value}) => value));
  const heading = element("h2", {}, plot.title);
  if (values.length === 0)
    return {figure: element("figure", {}, heading, element("p", {class: "faint"}, "no numbers in the log"))};
  const steps = state.runs.flatMap((run) => [...run.points.step, ...run.validations.step]);
  const last_step = largest_number(steps, 1);
  const across = {...make_scale(0, last_step, 4), most: last_step};
  const up = make_scale(-largest_number(values.map((value) => -value)), largest_number(values), 4);
  const {width, height, left, right, top, bottom} = plot_size;
  const x = (step) => left + (width - left - right) * (step - across.least) / (across.most - across.least);
  const y = (value) => height - bottom - (height - top - bottom) * (value - up.least) / (up.most - up.least);
  const cursor = svg_element("path", {class: "cursor"});
  const svg = svg_element("svg", {viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": plot.title},
    across.ticks.filter((tick) => tick <= across.most).map((tick) => [
      svg_element("path", {class: "grid", d: `M${x(tick)} ${top}V${height - bottom}`}),
      svg_element("text", {x: x(tick), y: height - bottom + 16, "text-anchor": "middle"}, tick_text(tick))]).flat(),
    up.ticks.map((tick) => [
      svg_element("path", {class: "grid", d: `M${left} ${y(tick)}H${width - right}`}),
      svg_element("text", {x: left - 6, y: y(tick) + 4, "text-anchor": "end"}, tick_text(tick))]).flat(),
    series.map((one) => draw_curve(one, x, y)).flat(), cursor);
  const numbers = element("figcaption", {}, last_numbers(series, plot));
  svg.addEventListener("mousemove", (event) => {
    const box = svg.getBoundingClientRect();
    const at = (event.clientX - box.left) * width / box.width;
    const step = across.least + (across.most - across.least) * (at - left) / (width - left - right);
    cursor.setAttribute("d", `M${at} ${top}V${height - bottom}`);
    show_in(numbers, numbers_at(series, plot, step));
  });
  svg.addEventListener("mouseleave", () => {
    cursor.setAttribute("d", "");
    show_in(numbers, last_numbers(series, plot));
  });
  return {figure: element("figure", {}, heading, svg, numbers)};
}

/// Without a limit on the number of values, which Math.max(...values) has.
function largest_number(values, least = -Infinity) {
  return values.reduce((largest, value) => Math.max(largest, value), least);
}

/// The curve of one run. A number that is missing interrupts it; the mean of checkpoints is a diamond beside it.
function draw_curve({run, points}, x, y) {
  let path = "", before = -2;
  const single = points.filter(({averaged}) => averaged === 0);
  for (const {step, value, index} of single) {
    path += `${index === before + 1 ? "L" : "M"}${x(step).toFixed(1)} ${y(value).toFixed(1)}`;
    before = index;
  }
  if (single.length === 1) path += "m-2 0h4";  // a line through one point would be invisible
  const diamonds = points.filter(({averaged}) => averaged > 0).map(({step, value}) => svg_element("path",
    {class: run_class(run), d: `M${x(step)} ${y(value) - 4}l4 4l-4 4l-4 -4z`}));
  return [svg_element("path", {class: run_class(run), d: path}), ...diamonds];
}

function numbers_line({run}, point, {digits}) {
  const mean = point.averaged > 0 ? ` (mean of ${point.averaged})` : "";
  return element("div", {}, `${run.name}: `, exact(point.value, digits), ` at update ${point.step}${mean}`);
}

function last_numbers(series, plot) {
  return series.filter(({points}) => points.length > 0).map((one) => numbers_line(one, one.points.at(-1), plot));
}

function numbers_at(series, plot, step) {
  return series.filter(({points}) => points.length > 0).map((one) => {
    const nearest = one.points.reduce((best, point) =>
      Math.abs(point.step - step) < Math.abs(best.step - step) ? point : best);
    return numbers_line(one, nearest, plot);
  });
}

/// Reads the logs again while the view is open. Unchanged numbers are not drawn again, so a pointer keeps its place.
async function watch_runs() {
  const seconds = 2;
  while (saved === null) {
    if (current_view() === "training" && !document.hidden) {
      try {
        const runs = await ask("/api/runs");
        const changed = JSON.stringify(runs) !== JSON.stringify(state.runs);
        state.runs = runs;
        if (changed && current_view() === "training") render();
      } catch (error) {
        tell(error.message, "error");
      }
    }
    await new Promise((resume) => setTimeout(resume, 1000 * seconds));
  }
}
