// The past of a training: its curves, and how the test sentence was translated at many moments.

const most_moments = 300, most_weights = 4e6;  // of 4 bytes each
const past = {losses: [], exact: [], moments: [], at: null};  // at: the index of the moment that is shown; null is the last

function forget() {
  Object.assign(past, {losses: [], exact: [], moments: [], at: null});
}

/// Remembers what an event says: {step, losses, exact, seconds, test}.
function remember({step, losses, exact, seconds, test}) {
  losses.forEach((loss, i) => past.losses.push([step - losses.length + 1 + i, loss]));
  if (exact !== null && exact !== undefined) past.exact.push([step, exact]);
  if (!test) return;
  const attention = test.attention.map((one) => (
    {...one, heads: one.heads.map((head) => ({...head, weights: Float32Array.from(head.weights)}))}));
  const weights = attention.reduce((sum, {queries, keys, heads}) => sum + queries * keys * heads.length, 0);
  if (past.moments.at(-1)?.step === step) past.moments.pop();
  past.moments.push({step, seconds, weights, translation: {source_tokens: test.source_tokens, hypotheses: [test.hypothesis], attention}});
  while (past.moments.length > most_moments || past.moments.reduce((sum, one) => sum + one.weights, 0) > most_weights) thin_out();
}

/// Forgets every second moment. The first and the last one stay.
function thin_out() {
  const {moments, at} = past;
  past.at = at === null ? null : Math.floor(at / 2);
  past.moments = moments.filter((_, i) => i % 2 === 0 || i === moments.length - 1);
}

/// The moment that is shown.
function shown_moment() {
  return past.moments[past.at ?? past.moments.length - 1];
}

/// Draws a curve: points [step, value], from 0 to the last step and from 0 to `most`. A column of pixels has the mean of
/// its points. The line stands at the step that is shown.
function draw_curve(canvas, points, {most, last, step, unit}) {
  const width = canvas.clientWidth, height = canvas.clientHeight, dots = devicePixelRatio;
  if (width === 0) return;
  canvas.width = width * dots;
  canvas.height = height * dots;
  const context = canvas.getContext("2d"), css = (name) => `rgb(${colour(name)})`;
  const left = 40, bottom = 16, x = (at) => left + (width - left - 4) * at / Math.max(last, 1);
  const y = (value) => 6 + (height - bottom - 6) * (1 - Math.min(value / most, 1));
  context.scale(dots, dots);
  context.font = "11px system-ui, sans-serif";
  context.strokeStyle = css("rule");
  context.fillStyle = css("faint");
  context.textAlign = "right";
  for (const share of [0, 0.5, 1]) {
    context.fillText(Number((share * most).toPrecision(2)) + unit, left - 4, y(share * most) + 4);
    context.strokeRect(left, y(share * most), width - left - 4, 0);
  }
  context.fillText(`step ${last}`, width - 4, height - 3);
  const columns = new Map();
  for (const [at, value] of points) {
    const column = Math.round(x(at)), [sum, count] = columns.get(column) ?? [0, 0];
    columns.set(column, [sum + value, count + 1]);
  }
  context.strokeStyle = css("strong");
  context.lineWidth = 1.8;
  context.beginPath();
  for (const [column, [sum, count]] of columns) context.lineTo(column, y(sum / count));
  context.stroke();
  if (columns.size === 1) context.fillRect([...columns.keys()][0] - 2, y(points[0][1]) - 2, 4, 4);
  context.strokeStyle = css("accent");
  context.lineWidth = 1;
  context.strokeRect(x(step), 6, 0, height - bottom - 6);
}
