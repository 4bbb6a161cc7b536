// The view Training: the curves that regard draws of the logs of trainings, also while they run.

const hidden_runs = new Set();

/// The numbers and the images of the curves: {runs, plots}.
async function curves() {
  return saved === null ? ask("/api/runs") : {runs: saved.runs, plots: saved.plots};
}

function show_training(parent) {
  show_in(parent,
    element("div", {class: "key", role: "group", "aria-label": "Trainings"}, state.runs.map((run, i) =>
      toggle([run_sample(i), run.name], !hidden_runs.has(run.name), () => {
        if (!hidden_runs.delete(run.name)) hidden_runs.add(run.name);
        render();
      }, {id: "run " + run.name, class: "run", title: run.directory}))),
    element("div", {class: "plots"}, state.plots.map(plot_figure)));
}

/// A piece of the curve of a run: six colours, then the same with dashes, as in curves.cpp.
function run_sample(i) {
  return svg_element("svg", {width: 26, height: 10, "aria-hidden": "true"},
    svg_element("path", {class: `curve colour-${i % 6} dash-${Math.floor(i / 6) % 3}`, d: "M0 5h26"}));
}

/// A plot without the hidden runs, and below it the numbers at the update under the pointer, or the last ones.
function plot_figure(plot) {
  const svg = new DOMParser().parseFromString(plot.svg, "image/svg+xml").documentElement;
  const shown = state.runs.filter((run) => !hidden_runs.has(run.name));
  for (const curve of svg.querySelectorAll("[data-run]"))
    if (!shown.includes(state.runs[curve.dataset.run])) curve.remove();
  const numbers = element("figcaption"), area = svg.querySelector(".area");
  const show_numbers = (step) => show_in(numbers, shown.map((run) => number_at(run, plot, step)));
  show_numbers(Infinity);
  if (area !== null) {
    const cursor = svg_element("path", {class: "cursor"});
    svg.append(cursor);
    svg.addEventListener("mousemove", (event) => {
      const box = area.getBoundingClientRect(), share = (event.clientX - box.left) / box.width;
      cursor.setAttribute("d", `M${share * area.getAttribute("width")} 0v${area.getAttribute("height")}`);
      show_numbers(share * area.dataset.last);
    });
    svg.addEventListener("mouseleave", () => {
      cursor.setAttribute("d", "");
      show_numbers(Infinity);
    });
  }
  return element("figure", {}, svg, numbers);
}

/// The number of a run that is nearest to a step; the last one for infinity.
function number_at(run, {table, column}, step) {
  const {step: steps, averaged} = run[table], values = run[table][column];
  const present = [...values.keys()].filter((i) => values[i] !== null);
  if (present.length === 0) return null;
  const nearest = present.reduce((best, i) => Math.abs(steps[i] - step) <= Math.abs(steps[best] - step) ? i : best);
  const mean = averaged?.[nearest] > 0 ? ` (mean of ${averaged[nearest]})` : "";
  return element("div", {}, `${run.name}: `, element("data", {value: String(values[nearest])},
                 Number(values[nearest].toPrecision(5))), ` at update ${steps[nearest]}${mean}`);
}

/// Reads the logs again while the view is open. Unchanged numbers are not drawn again, so a pointer keeps its place.
async function watch_runs() {
  const seconds = 2;
  while (saved === null) {
    if (current_view() === "training" && !document.hidden) {
      try {
        const now = await curves(), changed = JSON.stringify(now.runs) !== JSON.stringify(state.runs);
        Object.assign(state, now);
        if (changed && current_view() === "training") render();
      } catch (error) {
        tell(error.message, "error");
      }
    }
    await new Promise((resume) => setTimeout(resume, 1000 * seconds));
  }
}
