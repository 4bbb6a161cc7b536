// What to train: the settings, their controls, and the link that holds them.

const letters = ({task}) => ["copy", "reverse", "sort"].includes(task), is_transformer = ({model}) => model === "transformer";

/// A setting has a title, a default and a word of explanation. A `live` one is changed without a new beginning. `shown`
/// says for which settings it has a meaning.
const controls = {
  task: {title: "Task", value: "reverse", about: "What the model learns to translate. All pairs are made on this machine.",
    choices: [["reverse", "Reverse letters"], ["copy", "Copy letters"], ["sort", "Sort letters"], ["dates", "Dates"],
              ["sentences", "English → French, Korean"], ["own", "Your own pairs"]]},
  length: {title: "Letters", value: 10, shown: letters, about: "The most letters in a sentence."},
  model: {title: "Model", value: "transformer", about: "A Transformer has attention only. A recurrent model reads one word " +
    "after another; with attention it may look back at each word, without attention it keeps one vector for the whole sentence.",
    choices: [["transformer", "Transformer"], ["recurrent", "Recurrent, attention"], ["no_attention", "Recurrent, none"]]},
  bidirectional: {title: "Both directions", value: true, shown: (settings) => !is_transformer(settings), about: "One half of the " +
    "encoder reads the sentence from its end."},
  d_model: {title: "Width", value: 64, about: "How many numbers stand for one word: d_model."},
  layers: {title: "Layers", value: 2, about: "How many layers the encoder has, and the decoder."},
  heads: {title: "Heads", value: 4, shown: is_transformer, about: "How many attentions run side by side in a layer. The width " +
    "is divided among them."},
  positions: {title: "Positions", value: "sinusoidal", shown: is_transformer, about: "How the model knows the order of the " +
    "words: waves of many lengths, learnt vectors, queries and keys that are turned by their positions, or not at all.",
    choices: [["sinusoidal", "Waves"], ["learned", "Learnt"], ["rotary", "Rotary"], ["none", "None"]]},
  scale_scores: {title: "1/√d_k", value: true, shown: is_transformer, about: "Divide each q·k by √d_k. Without it, " +
    "the scores of wide heads are so large that the softmax hardly learns."},
  learning_rate: {title: "Learning rate", value: 0.0015, live: true, about: "How far one step moves the numbers of the model. " +
    "It may be changed while the model learns."},
  seed: {title: "Seed", value: 1, about: "The beginning of all random numbers. The same settings and seed give the same curve."},
};

/// Pairs to begin with: the numbers of two and three words.
const first_pairs = () => {
  const words = {one: "eins", two: "zwei", three: "drei", four: "vier", five: "fünf"}, names = Object.keys(words);
  const sources = names.flatMap((a) => names.flatMap((b) => [[a, b], ...names.map((c) => [a, b, c])]));
  return sources.map((source) => `${source.join(" ")}\t${source.map((word) => words[word]).join(" ")}`).join("\n");
};

const default_settings = () => Object.fromEntries(Object.entries(controls).map(([name, {value}]) => [name, value]));
const most_in_link = 4000;  // characters of one's own pairs

/// The address of the page with settings: those that differ from the defaults, and the seed.
function link_of(settings) {
  const url = new URL(location.pathname, location.origin);
  for (const [name, {value, shown}] of Object.entries(controls))
    if (name === "seed" || (settings[name] !== value && (shown?.(settings) ?? true))) url.searchParams.set(name, settings[name]);
  if (settings.task === "own" && settings.pairs.length <= most_in_link) url.searchParams.set("pairs", settings.pairs);
  return url.href;
}

/// The settings of a link, and a sentence for each part that is wrong: {settings, faults}.
function settings_of(search) {
  const settings = default_settings(), faults = [];
  for (const [name, text] of new URLSearchParams(search)) {
    const {value, choices} = controls[name] ?? {};
    const words = choices?.map(([word]) => word) ?? ["true", "false"];
    if (name === "pairs") settings.pairs = text;
    else if (value === undefined) faults.push(`The link has “${name}”, which is no setting.`);
    else if (typeof value === "number" ? text.trim() === "" || !Number.isFinite(Number(text)) : !words.includes(text))
      faults.push(`The link says ${name}=${text}, but ${name} is ${typeof value === "number" ? "a number" :
        "one of " + words.join(", ")}. The page takes ${value}.`);
    else settings[name] = typeof value === "number" ? Number(text) : typeof value === "boolean" ? text === "true" : text;
  }
  if (settings.task === "own") settings.pairs ??= first_pairs();
  return {settings, faults};
}

/// The controls. `change` is called with the name and the new value of a setting.
function settings_form(settings, change) {
  const row = Object.entries(controls).filter(([, {shown}]) => shown?.(settings) ?? true).map(([name, about]) =>
    element("label", {"aria-description": about.about}, element("span", {}, about.title),
      settings_control(name, about, settings[name], (value) => change(name, value))));
  if (settings.task !== "own") return [element("div", {class: "settings"}, row)];
  const pairs = element("textarea", {id: "pairs", rows: 6, value: settings.pairs, spellcheck: false, "aria-label": "Your pairs"});
  return [element("div", {class: "settings"}, row), element("p", {class: "faint"}, "One pair on each line: the sentence, a " +
            "tab, its translation. Blanks separate the words."), pairs,
          element("button", {type: "button", id: "use pairs", onclick: () => change("pairs", pairs.value)}, "Use these pairs")];
}

function settings_control(name, {choices, value}, now, change) {
  const id = "set " + name;
  if (choices) return choice({id}, choices, now, change);
  if (typeof value === "boolean")
    return element("input", {id, type: "checkbox", checked: now, onchange: ({target}) => change(target.checked)});
  return element("input", {id, type: "number", step: "any", value: String(now),
                           onchange: ({target}) => change(target.value === "" ? NaN : Number(target.value))});
}
