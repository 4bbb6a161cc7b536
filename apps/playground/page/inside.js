// Look inside one number: the equation of a weight of attention with the numbers in it, or the vector of a token.
// The letters are those of autograd/reference/attention.cpp.

/// What is looked at: {attention, head, query, key} of a weight, or {side, position} of a token; and the engine's reply.
let inside = {};
const panel = {key: null, busy: false, element: element("section", {id: "inside", "aria-label": "Inside one number"})};
const code = {score: [43], softmax: [49, 53], out: [62]};  // lines of attention.cpp
const code_link = (lines) => lines_link("autograd/reference/attention.cpp", ...lines);

function look_inside(what) {
  inside = what;
  render();
}

function head_of(name) {
  const at = name.lastIndexOf(":");
  return {attention: name.slice(0, at), head: Number(name.slice(at + 1))};
}

/// An empty map whose squares can be chosen. fill_clickable() draws it.
function clickable_map() {
  const choose = (map, query, key) => look_inside({...head_of(map.dataset.picture), query, key});
  return element("div", {class: "heat-map"}, element("div", {class: "scroll weights-map", tabIndex: 0, role: "application",
    "aria-label": "Weights: choose one with the arrow keys", onpointerdown: ({currentTarget: map, target}) => {
      const at = [...map.querySelectorAll("rect")].indexOf(target) - 1;  // the first one is the ground
      if (at >= 0) choose(map, Math.floor(at / map.dataset.keys), at % map.dataset.keys);
    }, onkeydown: (event) => {
      const [down, right] = {ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1]}[event.key] ?? [];
      if (down === undefined) return;
      event.preventDefault();
      const map = event.currentTarget, {queries, keys} = map.dataset;
      const within = (at, size) => Math.max(0, Math.min(at, size - 1));
      choose(map, within((inside.query ?? 0) + down, queries), within((inside.key ?? 0) + right, keys));
    }}));
}

function fill_clickable(map, picture, translation) {
  const matrix = picture.matrix(), labels = fitting_labels(labels_of(picture.kind, translation), matrix);
  const drawn = JSON.stringify([picture.name, labels]), chosen = head_id(inside) === picture.name ? inside.query * matrix.columns + inside.key : -1;
  if (map.dataset.drawn !== drawn) show_in(map, heat_map(picture.title, labels, matrix));
  Object.assign(map.dataset, {drawn, picture: picture.name, queries: matrix.rows, keys: matrix.columns});
  [...map.querySelectorAll("rect")].slice(1).forEach((square, at) => {
    const weight = fixed(matrix.values[at], 3), {firstChild: text} = square.firstChild;
    square.classList.toggle("chosen", at === chosen);
    if (text.data.endsWith(": " + weight)) return;  // to change an element costs more than to read it
    square.setAttribute("fill-opacity", matrix.values[at].toFixed(3));
    text.data = text.data.replace(/[\d.]+$/, weight);
  });
}

/// The translation that the open view shows, and its source.
function looked_at() {
  return current_view() === "training" ? {source: play.made.test.source, translation: shown_moment()?.translation} :
    {source: state.shown?.source, translation: state.translation};
}

/// Puts the panel into its place, and asks for its numbers if they may have changed.
async function update_inside() {
  const place = by_id("inside place"), {source, translation} = looked_at();
  if (place !== null && panel.element.parentElement !== place) place.append(panel.element);
  if (place === null || !translation || panel.busy) return;
  const prefix = translation.hypotheses[0].tokens.map(({token}) => token), body = {...inside, source, prefix, heads_off: state.request.heads_off};
  const is_past = current_view() === "training" && past.at !== null, key = JSON.stringify([body, is_past, past.moments.at(-1)?.step]);
  if (panel.key === key) return;
  panel.key = key;
  if (!("side" in inside) && !("attention" in inside)) return show_in(panel.element, no_number());
  panel.busy = true;
  try {
    const what = inside, content = "side" in what ? await token_panel(what, body) : weight_panel(what, await call("number", body));
    show_in(panel.element, is_past ? element("p", {class: "warning"}, "The map is of the past, but these numbers are of now: the " +
      "page remembers the maps only. Move the slider to its right end.") : null, content);
  } catch (error) {
    show_in(panel.element, element("h2", {}, "Inside one number"), element("p", {class: "warning"}, error.message));
  }
  panel.busy = false;
  update_inside();
}

function no_number() {
  return [element("h2", {}, "Inside one number"), element("p", {class: "faint"}, "Choose a square of the large map, and the equation of " +
    "its weight stands here, with the numbers in it. With the keyboard: go to the map with Tab, and use the arrow keys. Choose a token to " +
    "see its vector.")];
}

/// Cells of a table: the stronger the colour, the larger the number. Blue is positive, orange is negative.
function number_cells(values, largest = Math.max(...values.map(Math.abs), 1e-12)) {
  return values.map((value) => with_variables(element("td", {class: value < 0 ? "cell negative" : "cell"}, exact(value, 2)),
                                              {shade: Math.abs(value) / largest}));
}

function numbered_row(name, values, largest) {
  return element("tr", {}, element("th", {scope: "row"}, name), number_cells(values, largest));
}

function equation(text) {
  return element("p", {class: "equation"}, text);
}

/// A number with brackets if it is negative, for sums and products.
function bracketed(number) {
  return number < 0 ? `(${fixed(number, 2)})` : fixed(number, 2);
}

function weight_panel({head, attention, query: t, key: s}, n) {
  const largest = Math.max(...n.scores.filter((_, i) => n.allowed[i])), e = n.scores.map((score, i) => n.allowed[i] ? Math.exp(score - largest) : 0);
  return [element("h2", {}, `Inside one number: p(${t}, ${s}) = ${fixed(n.weights[s], 3)}`),
    element("p", {}, `The query t = ${t} is “${visible(n.query_token)}”, the key s = ${s} is “${visible(n.key_token)}”, ` +
      `in head ${head} of ${attention}.`),
    is_off({attention, head}) ? element("p", {class: "warning"}, "This head is off: zeros take the place of its output.") : null,
    ...(n.score === "additive" ? additive_score(t, s, n) : product_score(t, s, n)),
    ...softmax_of_scores(t, s, n, largest, e),
    ...sum_of_values(t, n),
    row_table(t, s, n, e, key_names(attention))];
}

function softmax_of_scores(t, s, n, largest, e) {
  const sum = e.reduce((total, one) => total + one, 0);
  return [element("h3", {}, "2. The softmax makes weights of the scores of all keys: they are positive, and sum to 1"),
    equation("p(t, s) = e^score(t, s) / sum over s' of e^score(t, s')"),
    equation(!n.allowed[s] ? `p(${t}, ${s}) = 0, because this query may not see later tokens` :
      `p(${t}, ${s}) = e^(${fixed(n.scores[s], 2)} − ${fixed(largest, 2)}) / ${fixed(sum, 3)} = ${fixed(e[s], 3)} / ${fixed(sum, 3)} = ${fixed(n.weights[s], 3)}`),
    element("p", {class: "faint"}, "Subtracting the largest score changes no quotient, and no exponential can overflow. ", code_link(code.softmax))];
}

function sum_of_values(t, {weights, values, output}) {
  const terms = largest_indices(weights, 3).map((s) => `${fixed(weights[s], 2)} · ${bracketed(values[s][0])}`);
  return [element("h3", {}, "3. The output is the sum of the values, each times its weight"),
    equation("out(t, c) = sum over s of p(t, s) v(s, c)"),
    equation(`out(${t}, 0) = ${terms.join(" + ")}${weights.length > 3 ? " + …" : ""} = ${fixed(output[0], 2)}`),
    element("p", {class: "faint"}, code_link(code.out))];
}

/// All keys of a query, each with its score, its weight and its value; and their sum.
function row_table(t, s, {scores, allowed, weights, values, output}, e, names) {
  const largest = Math.max(...values.flat().map(Math.abs), 1e-12), number = (value) => element("td", {class: "number"}, exact(value, 2));
  const rows = weights.map((p, i) => element("tr", {"aria-current": i === s ? "true" : null},
    element("th", {scope: "row"}, toggle(`${i}: ${names[i]}`, i === s, () => look_inside({...inside, key: i}), {class: "link", id: `key ${i}`})),
    allowed[i] ? [scores[i], e[i], p].map(number) : element("td", {colSpan: 3, class: "faint"}, "later: not seen"),
    number_cells(values[i], largest)));
  return table({id: "row"}, ["key s", "score", "e^(…)", "p(t, s)", ...output.map((_, c) => `v(s, ${c})`)],
    [...rows, element("tr", {class: "sum"}, element("th", {scope: "row", colSpan: 4}, `out(${t}, c)`), number_cells(output, largest))]);
}

function product_score(t, s, {query, key, products, dot, scale, scores, d_k}) {
  const root = scale !== 1;
  const largest = Math.max(...query.map(Math.abs), ...key.map(Math.abs), ...products.map(Math.abs));
  return [element("h3", {}, "1. The score says how well the query and the key fit"),
    equation(`score(t, s) = sum over c of q(t, c) k(s, c)${root ? " / sqrt(d_k)" : ""}`),
    equation(`score(${t}, ${s}) = (${products.slice(0, 3).map(bracketed).join(" + ")} + …)${root ? ` / √${d_k}` : ""} = ${fixed(dot, 2)}` +
      `${root ? ` / ${fixed(Math.sqrt(d_k), 2)} = ${fixed(scores[s], 2)}` : ""}`),
    table({id: "products"}, ["c", ...query.map((_, c) => String(c))], [numbered_row(`q(${t}, c)`, query, largest),
      numbered_row(`k(${s}, c)`, key, largest), numbered_row("product", products, largest)]),
    element("p", {class: "faint"}, play.settings.scale_scores ? "" : "The factor 1/√d_k is off. ", code_link(code.score))];
}

function additive_score(t, s, {scores}) {
  return [element("h3", {}, "1. The score says how well the state of the decoder and a word of the source fit"),
    equation("score(t, s) = v · tanh(W q(t) + U k(s))"), equation(`score(${t}, ${s}) = ${fixed(scores[s], 2)}`),
    element("p", {class: "faint"}, "Bahdanau's score is a small network: it adds the two vectors, and v weighs the result. ",
            source_link("nn/general_attention/score.h", "the additive score", ""))];
}

/// The tokens that the keys of an attention are.
function key_names(attention) {
  const {kind} = state.model.attention.find(({name}) => name === attention);
  return labels_of(kind, looked_at().translation).keys;
}

/// The vector with which the model reads a token. The decoder reads a token of the translation one step after it wrote it.
async function token_panel({side, position: chosen}, body) {
  const {source_tokens, hypotheses: [{tokens}]} = looked_at().translation;
  const count = side === "source" ? source_tokens.length : tokens.length, position = side === "source" ? chosen : chosen + 1;
  if (position === count) return [element("h2", {}, "The end of the translation"), element("p", {}, "The decoder never reads this token, so it has no vector.")];
  const [n, ...all] = await Promise.all([position, ...Array(count).keys()].map((at) => call("token", {...body, position: at})));
  const names = n.embedding.map((_, c) => String(c)), largest = Math.max(...n.sum.map(Math.abs), 1e-12);
  const vectors = all.map((one) => one.position_vector), products = n.position_vector && vectors.flatMap((p) => vectors.map((q) =>
    p.reduce((sum, value, c) => sum + value * q[c], 0)));
  return [element("h2", {}, `The vector of “${visible(n.token)}”, position ${position}`),
    equation(n.position_vector ? "x(t) = embedding of the token + p(t)" : "x(t) = embedding of the token"),
    element("p", {}, `The token has number ${n.id} in the vocabulary. Its embedding is learnt` +
      `${n.scale === 1 ? "" : `, and is multiplied by ${fixed(n.scale, 2)}`}. ` + (n.position_vector ? "p(t) depends on the position alone." :
        "Nothing is added for its position.")),
    table({id: "vector"}, ["c", ...names], [numbered_row("embedding", n.embedding, largest),
      n.position_vector ? numbered_row(`p(${position})`, n.position_vector, largest) : null,
      numbered_row(`x(${position})`, n.sum, largest)].filter((row) => row !== null)),
    products ? distances(products, count) : null,
    play.settings.positions === "sinusoidal" && products ? element("p", {class: "faint"}, lines_link("nn/sinusoidal_positions.h", 8)) : null];
}

/// p(s) · p(t) for all positions. For waves it depends on the distance alone (claim D5): each diagonal has one colour.
function distances(products, count) {
  const canvas = element("canvas", {class: "distances", role: "img", "aria-label": "Products of the vectors of all positions"});
  const least = Math.min(...products);
  draw_map(canvas, make_matrix(count, count, products.map((value) => value - least)), [colour("map-low"), colour("map-high")]);
  return element("figure", {}, canvas, element("figcaption", {class: "faint"}, "p(s) · p(t) for all positions s and t. With waves, each " +
    "diagonal has one colour: the product depends on the distance t − s alone. ", claim_link("D5")));
}
