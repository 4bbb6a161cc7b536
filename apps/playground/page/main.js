// The page of the playground: its state, its buttons, and how it begins.

const play = {
  settings: null,   // what the controls say
  made: null,       // the engine's reply to the last settings that it took
  ready: false,     // whether these are the settings of now
  training: false,
  last: null,       // the last event of the training
};

const views = {
  training: {title: "Training", about: "curves, and the attention of a test sentence", show: show_training},
  translate: {title: "Tokens", about: "write a sentence; the probability of each token, and its rivals", show: show_translate},
  attention: {title: "Attention", about: "which tokens each head of each layer attends to", show: show_attention_inside},
  heads: {title: "Heads", about: "the translation without some heads", show: show_heads},
  search: {title: "Search", about: "the tree of the beam search, step by step", show: show_search},
};

function possible_views() {
  return state.model === null ? [] : Object.keys(views);
}

/// The view Attention of regard explore, in which a weight can be chosen.
function show_attention_inside(parent) {
  show_attention(parent);
  const {chosen} = choice_of_pictures(state.translation, state.picture);
  if (!/:\d+$/.test(chosen?.name)) return;
  const map = clickable_map();
  map.firstChild.id = "weights map";
  fill_clickable(map.firstChild, chosen, state.translation);
  by_id("large").querySelector("details.heat-map").replaceWith(map, element("div", {id: "inside place"}));
  panel.key = null;
  update_inside();
}

/// Makes a model of settings, and forgets the training of the one before. Returns whether the engine could.
async function begin_with_settings(settings) {
  Object.assign(play, {settings, training: false, ready: false});
  show_controls();
  tell("working …");
  try {
    const made = await call("make", settings);
    if (play.settings !== settings) return false;  // others were chosen in the meantime
    forget();
    inside = {};
    Object.assign(panel, {key: null});
    Object.assign(watched, {key: null});
    Object.assign(play, {made, last: {step: 0, seconds: 0}});
    Object.assign(state, {model: made.model, translation: null, shown: null, unchanged: null, picture: null});
    state.request = {source: made.test.source, prefix: [], search: {}, heads_off: []};
    state.picture = chosen_picture();
    by_id("form")?.remove();
    by_id("settings")?.remove();
    by_id("input").prepend(...make_form());
    by_id("model").textContent = `${made.parameters.toLocaleString("en")} parameters, ${made.training_pairs.toLocaleString("en")} pairs`;
    await look();
    if (play.settings !== settings) return false;
    play.ready = true;
    show_in(by_id("views"), possible_views().map((name) => element("a", {href: "#" + name}, views[name].title)));
    show_bar();
    render();
    tell("");
    if (current_view() !== "training") translate();
    return true;
  } catch (error) {
    if (play.settings === settings) tell(error.message, "error");
    return false;
  }
}

/// The map that is large at first: the last one that looks at the source.
function chosen_picture() {
  const sources = state.model.attention.filter(({kind}) => kind === "source");
  return sources.length === 0 ? null : `${sources.at(-1).name}:0`;
}

/// Translates the test sentence now: at the beginning, and when heads or settings have changed.
async function look() {
  const {hypotheses, attention, source_tokens} = await call("translate", {source: play.made.test.source, heads_off: state.request.heads_off});
  const {step, seconds} = play.last;
  remember({step, seconds, losses: [], test: {source_tokens, hypothesis: hypotheses[0], attention}});
}

async function change_setting(name, value) {
  const settings = {...play.settings, [name]: value};
  if (name === "task" && value === "own") settings.pairs ??= first_pairs();
  if (!controls[name]?.live || !play.ready) return begin_with_settings(settings);
  try {
    await call("set", {[name]: value});
    play.settings = settings;
    show_link();
    await look();
    render();
    tell("");
  } catch (error) {
    tell(error.message, "error");
    show_controls();
  }
}

function show_link() {
  history.replaceState(null, "", link_of(play.settings) + location.hash);
}

function show_controls() {
  const focused = document.activeElement?.id;
  keep_children(by_id("choose"), 1);
  by_id("choose").append(...settings_form(play.settings, change_setting));
  if (focused) by_id(focused)?.focus();
  show_link();
  show_bar();
}

/// The buttons, and the numbers of the training beside them.
function make_bar() {
  by_id("bar").addEventListener("click", () => { help.hidden = true; });  // it would cover the curves
  const button = (id, text, about, onclick, properties = {}) =>
    element("button", {type: "button", id, "aria-description": about, onclick, ...properties}, text);
  const number = (id, name) => element("span", {class: "reading"}, element("small", {}, name), element("output", {id}));
  show_in(by_id("bar"),
    button("train", "Train", "The model learns, step after step, until you choose Pause.", train_or_pause, {class: "strong"}),
    button("one step", "One step", "The model learns from one batch of pairs.", one_step),
    button("reset", "Back to the start", "Throws away all that was learnt, and begins with the same random numbers.",
           () => begin_with_settings({...play.settings})),
    element("span", {class: "readings"}, number("now step", "step"), number("now seconds", "seconds"), number("now loss", "loss"),
            number("now exact", "exact")),
    button("copy link", "Copy link", "The link holds the settings and the seed: it gives the same curve.", copy_link),
    button("save model", "Save model", "A file with the model, for regard translate and regard explore.", () => told(save_model())),
    button("save picture", "Save picture", "The curves and all maps of this moment as one image.", save_picture),
    button("tour open", "Tour", "Seven steps, for someone who has never seen attention.", () => show_step_of_tour(0)));
}

/// Says the sentence of an error.
function told(promise) {
  return promise.catch((error) => tell(error.message, "error"));
}

async function train_or_pause() {
  play.training = !play.training;
  show_bar();
  try {
    await call(play.training ? "train" : "pause", play.training ? {until: null} : {});
    tell("");
  } catch (error) {
    play.training = false;
    show_bar();
    tell(error.message, "error");
  }
}

function one_step() {
  play.training = false;
  show_bar();
  return told(call("step"));
}

async function copy_link() {
  const too_long = play.settings.task === "own" && play.settings.pairs.length > most_in_link;
  try {
    await navigator.clipboard.writeText(link_of(play.settings));
    tell(too_long ? `The link is copied, but without your pairs: they have more than ${most_in_link} characters.` : "The link is copied.");
  } catch {
    tell(`The browser did not allow to copy. The link is in its address line${too_long ? ", but without your pairs" : ""}.`);
  }
}

function show_bar() {
  by_id("train").textContent = play.training ? "Pause" : "Train";
  for (const id of ["train", "one step", "save model", "save picture"]) by_id(id).disabled = !play.ready;
  by_id("save picture").disabled ||= current_view() !== "training";
  const {step = 0, seconds = 0} = play.last ?? {}, loss = past.losses.at(-1)?.[1], exact = past.exact.at(-1)?.[1];
  by_id("now step").textContent = step.toLocaleString("en");
  by_id("now seconds").textContent = seconds.toFixed(0);
  by_id("now loss").textContent = fixed(loss, 3);
  by_id("now exact").textContent = exact === undefined ? "–" : `${exact.toFixed(0)} %`;
}

/// Events come more often than the screen is drawn; it is drawn once for all of them, one part in each frame. On a slow
/// machine, it is drawn more seldom. So the page still answers.
let drawing = false, undrawn = false;

async function draw_progress() {
  drawing = true;
  while (undrawn) {
    undrawn = false;
    let spent = 0;
    for (let parts = parts_of_training({only_new: true}), is_drawn = false; !is_drawn;) {
      await new Promise(requestAnimationFrame);
      const begin = performance.now();
      is_drawn = parts.next().done;
      spent += performance.now() - begin;
    }
    show_bar();
    await new Promise((resolve) => setTimeout(resolve, 4 * spent));
  }
}

function progress(event) {
  if (!play.ready) return;
  if (event.error !== undefined) {
    play.training = false;
    show_bar();
    return tell(sentence_of(event.error), "error");
  }
  play.last = event;
  remember({...event, test: event.test && {source_tokens: past.moments[0].translation.source_tokens, ...event.test}});
  undrawn = true;
  if (!drawing) draw_progress().finally(() => { drawing = false; });
}

/// A new worker runs. It makes the same model again, unless it was this model that the old one could not make.
async function engine_died(sentence) {
  const again = play.ready;
  if (again) await begin_with_settings({...play.settings});
  else Object.assign(play, {training: false});
  show_bar();
  tell(`${sentence} It was started again${again ? ", and the training begins at step 0" : ": choose a smaller model"}.`, "error");
}

async function begin() {
  const {settings, faults} = settings_of(location.search);
  make_bar();
  by_id("choose").open = innerWidth > 700;
  Object.assign(engine, {on_progress: progress, on_death: engine_died});
  start_engine();
  document.addEventListener("heads", async () => {
    await told(call("set", {heads_off: state.request.heads_off}).then(look));
    render();
  });
  window.addEventListener("hashchange", () => {
    if (state.model === null) return;
    render();
    show_bar();
    if (current_view() !== "training") translate();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    panel.key = null;
    if (state.model !== null) render();
  });
  window.addEventListener("resize", () => { if (state.model !== null) update_training({only_new: true}); });
  if (!await begin_with_settings(settings)) return;
  faults.length > 0 ? tell(faults.join(" "), "error") : tell("Choose Train. If attention is new to you, take the Tour.");
}

begin();
