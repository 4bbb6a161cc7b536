// The worker of the page: it runs the engine, and trains in slices, so that it can answer the page between them.
// FORMATS.md has the messages.
import create from "./engine.js";

const slice_ms = 20;      // a slice is one step at least
const event_ms = 100;     // between two events
const test_ms = 250;      // between two translations of the test sentence, and at most a tenth of the time
const measure_ms = 1500;  // between two measurements of exact matches; likewise

// Two small modules with one instruction of SIMD, and with an exception.
const needed = [[0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11],
                [0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 10, 8, 1, 6, 0, 6, 64, 25, 11, 11]];
let engine;

/// Calls the engine. Throws Error with its sentence.
function ask(name, body = {}) {
  const [a, b] = [name, JSON.stringify(body)].map((text) => engine.allocateUTF8(text));
  try {
    const {reply, error} = JSON.parse(engine.UTF8ToString(engine._regard_call(a, b)));
    if (error !== undefined) throw new Sentence(error);
    return reply;
  } finally {
    engine._free(a);
    engine._free(b);
  }
}
class Sentence extends Error {}

/// Work that takes at most a tenth of the time, and comes at most once in `ms`.
class Seldom {
  constructor(ms) { Object.assign(this, {ms, last: -Infinity, cost: 0}); }
  due() { return performance.now() - this.last > Math.max(this.ms, 10 * this.cost); }
  did(cost) { Object.assign(this, {last: performance.now(), cost}); }
}
let telling, testing, measuring;  // anew for each model

let run = null;  // the training that runs: its last step, what the page does not know yet, and a measurement if one runs
const channel = new MessageChannel();  // a timer would wait some milliseconds
let queued = false;
function go_on() {
  if (!queued) channel.port2.postMessage(null);
  queued = true;
}

function take_steps(milliseconds) {
  run.report = ask("train", {milliseconds, until: run.until});
  run.losses.push(...run.report.losses);
}

/// Tells the page how far the training is.
function tell({exact = null, with_test = testing.due(), running = true} = {}) {
  const begin = performance.now();
  const test = with_test ? ask("test") : null;
  if (with_test) testing.did(performance.now() - begin);
  self.postMessage({event: "progress", ...run.report, losses: run.losses.splice(0), exact, test, running});
  telling.did(0);
}

/// Some steps, or a part of a measurement. At the last step, exact matches are measured too.
function slice() {
  if (run === null) return;
  if (run.measured === null) {
    take_steps(slice_ms);
    if (run.report.step === run.until || measuring.due()) run.measured = 0;
    else if (telling.due()) tell();
  } else {
    const begin = performance.now();
    const {exact} = ask("measure", {milliseconds: slice_ms});
    run.measured += performance.now() - begin;
    if (exact !== null) {
      measuring.did(run.measured);
      run.measured = null;
      const running = run.report.step !== run.until;
      tell({exact, running, with_test: !running || testing.due()});
      if (!running) run = null;
    }
  }
  go_on();
}

channel.port1.onmessage = () => {
  queued = false;
  try {
    slice();
  } catch (error) {
    run = null;
    if (!(error instanceof Sentence)) throw error;
    self.postMessage({event: "progress", error: error.message, running: false});
  }
};

const calls = {
  make(settings) {
    run = null;
    [telling, testing, measuring] = [new Seldom(event_ms), new Seldom(test_ms), new Seldom(measure_ms)];
    return ask("make", settings);
  },
  train({until}) {
    run = {until: until ?? 0, losses: [], report: null, measured: null};
    go_on();
  },
  pause() {
    if (run?.report) tell({with_test: true, running: false});
    run = null;
  },
  step() {
    calls.pause();
    run = {until: 0, losses: []};
    take_steps(0);
    calls.pause();
  },
  files() {
    const bytes = (name) => engine.FS.readFile(name);
    return {files: ask("files").files.map((name) => ({name: name.split("/").pop(), bytes: bytes(name)}))};
  },
};

function answer({id, call, body}) {
  try {
    self.postMessage({id, reply: (calls[call] ?? ((request) => ask(call, request)))(body ?? {}) ?? {}});
  } catch (error) {
    self.postMessage({id, error: error.message});
    // What is no sentence of the engine has broken it. The page hears of the death of this worker, and starts another.
    if (!(error instanceof Sentence)) throw error;
  }
}

const waiting = [];
self.onmessage = ({data}) => waiting.push(data);
const begin = (handle) => {
  self.onmessage = ({data}) => handle(data);
  for (const data of waiting.splice(0)) setTimeout(handle, 0, data);  // what a promise throws is no event of an error
};
const refuse = (error) => begin(({id}) => self.postMessage({id, error}));
if (!needed.every((module) => WebAssembly.validate(Uint8Array.from(module)))) {
  refuse("This browser has no SIMD or no exceptions for WebAssembly; Chrome and Edge have both from version 95 on, Firefox from 100, Safari from 16.4.");
} else {
  create({print() {}, printErr() {}}).then((module) => {
    engine = module;
    begin(answer);
  }, (error) => refuse(`The engine does not start: ${error.message}`));
}
