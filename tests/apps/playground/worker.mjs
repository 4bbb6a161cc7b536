// The worker of the playground in node: what the page would send it, and what it answers.
import fs from "node:fs";
import path from "node:path";
import {pathToFileURL} from "node:url";

/// Starts the worker of the built folder. Returns call(name, body), a promise of the reply, and `events`, which grows.
export async function start(folder) {
  globalThis.fetch = async (url) => new Response(fs.readFileSync(new URL(url)), {headers: {"Content-Type": "application/wasm"}});
  const scope = Object.assign(globalThis, {self: globalThis, location: {href: ""}, importScripts() {}, WorkerGlobalScope: function() {}});
  scope.MessageChannel = class {  // node's own keeps the process alive
    port1 = {};
    port2 = {postMessage: () => setImmediate(() => this.port1.onmessage())};
  };
  const open = new Map(), events = [];
  scope.postMessage = (message) => {
    if (message.event) return events.push(message);
    const {resolve, reject} = open.get(message.id);
    message.error === undefined ? resolve(message.reply) : reject(new Error(message.error));
  };
  await import(pathToFileURL(path.resolve(folder, "worker.js")));
  let id = 0;
  const call = (name, body) => new Promise((resolve, reject) => {
    open.set(++id, {resolve, reject});
    scope.onmessage({data: structuredClone({id, call: name, body})});
  });
  return {call, events};
}

/// Trains up to a step, and returns the events.
export async function train({call, events}, until) {
  events.length = 0;
  await call("train", {until});
  while (!events.some((event) => event.running === false)) await new Promise((resolve) => setTimeout(resolve, 5));
  const failed = events.find((event) => event.error);
  if (failed) throw new Error(failed.error);
  return [...events];
}
export const losses = (events) => events.flatMap((event) => event.losses);
