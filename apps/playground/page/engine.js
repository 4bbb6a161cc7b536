// The engine trains and translates in a worker, so the page never waits for it.

const engine = {
  worker: null,
  open: new Map(),    // id of a call → {resolve, reject}
  calls: 0,
  on_progress: null,  // called with each event of the training
  on_death: null,     // called with a sentence when the worker has died; a new one runs by then
};

/// Starts a worker, and ends the one that runs.
function start_engine() {
  engine.worker?.terminate();
  const worker = engine.worker = new Worker("worker.js", {type: "module"});
  worker.onmessage = ({data}) => {
    if (data.event === "progress") return engine.on_progress(data);
    const {resolve, reject} = engine.open.get(data.id);
    engine.open.delete(data.id);
    data.error === undefined ? resolve(data.reply) : reject(new Error(sentence_of(data.error)));
  };
  worker.onerror = (event) => {
    event.preventDefault();
    if (worker !== engine.worker) return;
    const lost = [...engine.open.values()];
    engine.open.clear();
    start_engine();
    const sentence = `The engine stopped${event.message ? ` (${event.message})` : ""}.`;
    for (const {reject} of lost) reject(new Error(sentence));
    engine.on_death(sentence);
  };
}

/// An error of the engine with a large first letter and a full stop.
function sentence_of(text) {
  return text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? "" : ".");
}

/// Calls a function of the engine, and returns a promise of its reply. Throws Error with a sentence of the engine.
function call(name, body = {}) {
  return new Promise((resolve, reject) => {
    const id = ++engine.calls;
    engine.open.set(id, {resolve, reject});
    engine.worker.postMessage({id, call: name, body});
  });
}

/// The views of regard explore ask by the path of its server. A request that is given up throws AbortError.
function ask(path, body, signal) {
  return new Promise((resolve, reject) => {
    signal?.addEventListener("abort", () => reject(signal.reason));
    call(path.replace("/api/", ""), body).then(resolve, reject);
  });
}

/// A link to a place in a file of the repository, or its name if the page does not know where the files are.
function source_link(file, place, anchor) {
  const base = document.querySelector("meta[name=source]").content;
  return base === "" ? element("span", {class: "faint"}, `${file}, ${place}`) : element("a", {href: `${base}${file}#${anchor}`}, place);
}

/// A link to lines of code: 43, or 49 to 53.
function lines_link(file, first, last = first) {
  return source_link(file, first === last ? `line ${first}` : `lines ${first} to ${last}`, first === last ? `L${first}` : `L${first}-L${last}`);
}

/// A link to a claim of the book of experiments.
function claim_link(claim) {
  return source_link("apps/experiments/README.md", `claim ${claim}`, claim.toLowerCase());
}
