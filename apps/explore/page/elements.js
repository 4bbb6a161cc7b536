// Small functions that make elements and texts. Data become text or attributes, never HTML.

/// Makes an HTML element. `properties` are its properties and listeners ({onclick: ...}); "class", "role" and names
/// with a dash are attributes. Children are elements or texts; null is left out.
function element(name, properties = {}, ...children) {
  return filled(document.createElement(name), properties, children);
}

/// Makes an SVG element in the same way. All its properties except listeners are attributes.
function svg_element(name, properties = {}, ...children) {
  return filled(document.createElementNS("http://www.w3.org/2000/svg", name), properties, children);
}

function filled(made, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined) continue;
    const is_attribute = made instanceof SVGElement ? !name.startsWith("on") : /^(class|role|for|list)$|-/.test(name);
    if (is_attribute) made.setAttribute(name, value);
    else made[name] = value;
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return made;
}

/// Sets CSS variables, for example {shade: 0.5} as --shade. (The security policy forbids style attributes.)
function with_variables(made, variables) {
  for (const [name, value] of Object.entries(variables)) made.style.setProperty("--" + name, value);
  return made;
}

/// Replaces the content of an element.
function show_in(parent, ...children) {
  parent.replaceChildren(...children.flat().filter((child) => child !== null && child !== undefined));
}

function by_id(id) {
  return document.getElementById(id);
}

/// "98 %", "0.3 %", "<0.1 %".
function percent(probability) {
  const share = 100 * probability;
  if (share > 0 && share < 0.1) return "<0.1 %";
  return (share < 9.95 ? share.toFixed(1) : share.toFixed(0)) + " %";
}

/// A number with `digits` digits behind the point; "–" if there is none.
function fixed(number, digits) {
  return Number.isFinite(number) ? number.toFixed(digits) : "–";
}

/// A number that can be read by a program with all its digits, and by people with few.
function exact(number, digits) {
  return element("data", {value: String(number)}, fixed(number, digits));
}

/// A cell of a table with such a number.
function number_cell(number) {
  return element("td", {class: "number"}, exact(number, 4));
}

/// A table that scrolls if the window is narrow: texts at its head, and elements <tr>.
function table(properties, heads, rows) {
  return element("div", {class: "scroll"}, element("table", properties,
    element("thead", {}, element("tr", {}, heads.map((head) => element("th", {scope: "col"}, head)))),
    element("tbody", {}, rows)));
}

/// A token that people can see: blanks and line ends become signs, and so do characters that XML does not allow.
function visible(token) {
  return token === "" ? "∅" :
    token.replaceAll(" ", "␣").replaceAll("\n", "⏎").replace(/[\0-\x1f\x7f\ufffe\uffff]/g, "\ufffd");
}

/// An element <details> whose content is made when it is opened, because it may be large. `open`: at once.
function opened_later(name, summary, make, open = false) {
  const details = element("details", {class: name, open}, element("summary", {}, summary), open ? make() : null);
  details.addEventListener("toggle", () => {
    if (details.open && details.children.length === 1) details.append(make());
  });
  return details;
}

/// A label as it is drawn: a text, or for a position of an image a small grid whose cell is filled.
function drawn_label(label) {
  return typeof label === "string" ? label : position_grid(label);
}

const grid_size = 18;  // pixels

function position_grid(position, place = {}) {
  const {rows, columns, row, column} = position;
  const lines = [...Array(rows - 1).keys()].map((i) => `M0 ${i + 1}h${columns}`)
    .concat([...Array(columns - 1).keys()].map((j) => `M${j + 1} 0v${rows}`)).join("");
  const line = {fill: "none", stroke: "currentColor", "vector-effect": "non-scaling-stroke"};
  return svg_element("svg", {width: grid_size, height: grid_size, viewBox: `0 0 ${columns} ${rows}`,
                             preserveAspectRatio: "none", role: "img", "aria-label": String(position), ...place},
    svg_element("title", {}, String(position)),
    svg_element("path", {...line, d: lines, "stroke-opacity": 0.15}),
    svg_element("rect", {...line, width: columns, height: rows}),
    svg_element("rect", {x: column, y: row, width: 1, height: 1, fill: "currentColor"}));
}

/// The value of a colour in style.css, as [red, green, blue].
function colour(name) {
  const text = getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
  return [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16));
}

/// A list of [value, text] to choose from. A change calls `choose` with the value.
function choice(properties, entries, chosen, choose) {
  return element("select", {...properties, onchange: (event) => choose(event.target.value)},
    entries.map(([value, text]) => element("option", {value, selected: value === chosen}, text)));
}

/// A button that is pressed or not.
function toggle(text, pressed, onclick, properties = {}) {
  return element("button", {type: "button", "aria-pressed": String(pressed), onclick, ...properties}, text);
}
