// What a page knows, and its requests: ask() is in server.js.

/// Data that are part of the document; null if a server answers.
const saved = JSON.parse(by_id("data").textContent);

const state = {
  model: null,        // reply of /api/model; null if only trainings are shown
  runs: null,         // the curves of trainings, as numbers ...
  plots: null,        // ... and as images: both from the reply of /api/runs
  translation: null,  // reply of /api/translate
  shown: null,        // the request that it answers
  unchanged: null,    // {key, reply}: the same translation with all heads, and its request as text
  request: {source: "", prefix: [], search: {}, heads_off: []},
  hypothesis: 0,      // which one the view Translate shows
  token: null,        // index of the token whose rivals are shown
  picture: null,      // name of the large picture in the view Attention
  compare_with: null,   // name of the other model in the view Compare
  other_picture: null,  // name of its picture; null: the same as of the first model
  compared: null,       // {key, reply or error}: its translation, and its request as text
  step: null,         // step of the search; null is the last one
  importance: null,   // reply of /api/head_importance
};

/// A later request replaces an earlier one of the same kind that is not answered yet.
const open_requests = new Map();

async function ask_latest(path, body, kind = path) {
  open_requests.get(kind)?.abort();
  const controller = new AbortController();
  open_requests.set(kind, controller);
  return ask(path, body, controller.signal);
}

/// Changes entries of the state and shows them.
function change(entries) {
  Object.assign(state, entries);
  render();
}

/// A head as text; also the name of its picture.
function head_id({attention, head}) {
  return `${attention}:${head}`;
}

function is_off(head) {
  return state.request.heads_off.some((other) => head_id(other) === head_id(head));
}

/// True if there is a sentence or an image to translate.
function has_source(request) {
  return "image" in request || request.source.trim() !== "";
}

/// Translates state.request and shows the result. An error is shown, and the old result stays.
async function translate() {
  if (saved !== null || !has_source(state.request)) return;
  const request = structuredClone(state.request);
  tell("working …");
  const begin = performance.now();
  try {
    const reply = await ask_latest("/api/translate", request);
    const unchanged = await with_all_heads(request, reply);
    Object.assign(state, {translation: reply, shown: request, hypothesis: 0, unchanged});
    render();
    tell(`computed in ${(1000 * reply.seconds).toFixed(0)} ms, drawn after ` +
         `${(performance.now() - begin).toFixed(0)} ms`);
  } catch (error) {
    if (error.name !== "AbortError") tell(error.message, "error");
  }
}

/// The reply to the same request with all heads, for comparison; the old one if it is still right.
async function with_all_heads(request, reply) {
  const plain = {...request, heads_off: []}, key = JSON.stringify(plain);
  if (state.unchanged?.key === key) return state.unchanged;
  return {key, reply: request.heads_off.length === 0 ? reply : await ask_latest("/api/translate", plain)};
}

/// Begins with another sentence or image, and forgets what belonged to the old one. Blanks clear the result.
function translate_new(source) {
  const {search, heads_off} = state.request;
  state.request = {...source, prefix: [], search, heads_off};
  state.token = null;
  state.step = null;
  if (has_source(state.request)) return translate();
  open_requests.get("/api/translate")?.abort();
  Object.assign(state, {translation: null, shown: null, unchanged: null});
  render();
  tell("");
}

/// Shows a sentence in the line of messages, which screen readers read out.
function tell(text, kind = "") {
  const line = by_id("message");
  line.className = kind;
  line.textContent = text;
}
