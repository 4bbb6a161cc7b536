// The engine of the playground in node:  node engine_test.mjs FOLDER REGARD
// FOLDER is what apps/playground/build.sh makes; REGARD is the program of this machine.
import assert from "node:assert/strict";
import {execFileSync} from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import {after, test} from "node:test";
import {losses, start, train} from "./worker.mjs";

const [folder, program] = process.argv.slice(2).map((name) => path.resolve(name));
const directory = fs.mkdtempSync(path.join(os.tmpdir(), "playground-"));
after(() => fs.rmSync(directory, {recursive: true}));
process.chdir(directory);
const regard = (...args) => execFileSync(program, args, {encoding: "utf8", stdio: ["pipe", "pipe", "pipe"], env: {...process.env, OMP_NUM_THREADS: "1"}});
const worker = await start(folder);
const {call} = worker;

/// The files of the model that is trained now.
async function write_files(name) {
  fs.mkdirSync(name);
  for (const {name: file, bytes} of (await call("files")).files) fs.writeFileSync(path.join(name, file), bytes);
}

/// The losses of `regard train` with the configuration of the engine.
async function losses_of_program(name, steps, seed) {
  await write_files(name);
  const config = JSON.parse(fs.readFileSync(`${name}/config.json`, "utf8"));
  Object.assign(config.training, {steps, seed, log_every: 1});
  fs.writeFileSync(`${name}.json`, JSON.stringify(config));
  regard("train", `${name}.json`, "--out", `${name}-trained`);
  return fs.readFileSync(`${name}-trained/metrics.jsonl`, "utf8").trim().split("\n").map((line) => JSON.parse(line))
    .filter((line) => line.type !== "validation" && "loss" in line && "step" in line).map((line) => line.loss);
}

const close = (a, b, most) => assert.ok(Math.abs(a - b) <= most, `${a} and ${b} differ by ${Math.abs(a - b)}`);
const farthest = (a, b) => Math.max(...a.map((value, i) => Math.abs(value - b[i])));

for (const [name, settings, toy] of [
  ["reverse", {task: "reverse", length: 10, dropout: 0.1, label_smoothing: 0.1}, ["reverse", "--max-words", "10"]],
  ["dates", {task: "dates", positions: "rotary", scale_scores: false}, ["dates"]],
  ["recurrent", {task: "copy", length: 6, model: "recurrent"}, ["copy", "--max-words", "6"]],
  ["no_attention", {task: "copy", length: 6, model: "no_attention", d_model: 32}, ["copy", "--max-words", "6"]]])
  test(`the first 20 losses of ${name} are those of the program`, async () => {
    await call("make", {...settings, seed: 3});
    const here = losses(await train(worker, 20));
    assert.equal(here.length, 20);
    regard("toy", ...toy, "--out", "corpus", "--seed", "3", "--validation", "200", "--test", "1", "--overwrite");
    const there = await losses_of_program(name, 20, 3);
    close(farthest(here, there), 0, 1e-4);
    const other = await losses_of_program(name + "-other", 20, 4);
    assert.ok(farthest(here, other) > 1e-2, "another seed gives the same losses");
  });

const tokens_of = (reply) => reply.hypotheses[0].tokens.map(({token}) => token);

test("a trained copy toy translates, and the program reads its files", async () => {
  await call("make", {task: "copy", length: 5, batch_tokens: 512, learning_rate: 0.004});
  const untrained = await call("translate", {source: "d a c b"});
  assert.notEqual(untrained.hypotheses[0].text, "d a c b");
  const events = await train(worker, 300);
  const {exact, test: shown} = events.at(-1);
  assert.ok(exact > 90, `${exact} % are right`);
  assert.equal(shown.hypothesis.text, shown.text);
  assert.equal((await call("translate", {source: "d a c b", search: {beam: 3, n_best: 2}})).hypotheses.length, 2);
  await write_files("copy");
  const sources = ["d a c b", "z y", "q q a"];
  const there = execFileSync(program, ["translate", "copy"], {input: sources.join("\n") + "\n", encoding: "utf8"}).trim().split("\n");
  for (const [i, source] of sources.entries())
    assert.equal((await call("translate", {source})).hypotheses[0].text, there[i]);
});

/// The numbers again, in double precision, from queries, keys and values alone.
function softmax(scores, allowed) {
  const powers = scores.map((score, j) => allowed[j] ? Math.exp(score - Math.max(...scores)) : 0);
  const sum = powers.reduce((a, b) => a + b);
  return powers.map((power) => power / sum);
}
const dot = (a, b) => a.reduce((sum, value, i) => sum + value * b[i], 0);

test("the numbers of a weight are those of its map", async () => {
  for (const settings of [{}, {scale_scores: false, positions: "rotary"}, {model: "recurrent"}]) {
    const {model} = await call("make", {task: "reverse", length: 6, ...settings});
    await train(worker, 30);
    const source = "e a b d";
    const reply = await call("translate", {source, prefix: ["d", "b"]});
    const prefix = tokens_of(reply);
    for (const {name, heads} of model.attention) {
      const map = reply.attention.find((each) => each.name === name);
      const at = {source, prefix, attention: name, head: heads - 1, query: 1, key: 1};
      const number = await call("number", at);
      const row = map.heads[at.head].weights.slice(map.keys, 2 * map.keys);
      close(farthest(number.weights, row), 0, 1e-6);
      close(farthest(softmax(number.scores, number.allowed), row), 0, 1e-5);
      number.output.forEach((value, i) => close(value, dot(row, number.values.map((each) => each[i])), 1e-5));
      if (number.score === "dot") {
        const scale = settings.scale_scores === false ? 1 : 1 / Math.sqrt(16);
        close(number.scores[1], scale * dot(number.query, number.key), 1e-5);
        const other = await call("number", {...at, query: 0});
        assert.ok(farthest(other.query, number.query) > 1e-3, "another query has the same numbers");
      }
    }
  }
});

test("the embedding of a token and its position add up", async () => {
  await call("make", {task: "copy"});
  const request = {side: "source", source: "b a b", prefix: [], position: 2};
  const token = await call("token", request), first = await call("token", {...request, position: 0});
  assert.equal(token.token, "b");
  assert.deepEqual(token.embedding, first.embedding);
  token.position_vector.forEach((value, i) => {
    const angle = 2 / 10000 ** (2 * Math.floor(i / 2) / 64);
    close(value, i % 2 ? Math.cos(angle) : Math.sin(angle), 1e-6);
    close(token.sum[i], token.embedding[i] + value, 1e-5);
  });
  assert.ok(farthest(token.sum, first.sum) > 0.1);
  await call("make", {task: "copy", model: "recurrent"});
  assert.equal((await call("token", {...request, side: "target", position: 0})).position_vector, null);
});

test("heads that are off and the learning rate change a training", async () => {
  const settings = {task: "copy", length: 5};
  await call("make", settings);
  const before = losses(await train(worker, 5));
  await call("make", settings);
  const same = losses(await train(worker, 5));
  assert.deepEqual(before, same);
  for (const change of [{heads_off: [{attention: "decoder.layers.0.multihead_attn", head: 1}]}, {learning_rate: 0.01}]) {
    await call("make", settings);
    await call("set", change);
    assert.ok(farthest(losses(await train(worker, 5)), before) > 1e-5, JSON.stringify(change));
  }
});

test("a training answers between its slices, pauses and goes on", async () => {
  await call("make", {task: "reverse"});
  worker.events.length = 0;
  await call("train", {until: null});
  while (worker.events.length < 3) await new Promise((resolve) => setTimeout(resolve, 5));
  assert.equal((await call("translate", {source: "a b"})).source_tokens.at(-1), "</s>");
  await call("pause", {});
  const step = worker.events.at(-1).step;
  assert.equal(losses(worker.events).length, step);
  await new Promise((resolve) => setTimeout(resolve, 100));
  assert.equal(worker.events.at(-1).step, step);
  await call("step", {});
  assert.equal(worker.events.at(-1).step, step + 1);
});

for (const [settings, words] of [
  [{task: "own", pairs: "a".repeat(5000) + "\tb"}, "line 1"],
  [{task: "own", pairs: "no tab"}, "line 1"],
  [{task: "own", pairs: ""}, "no pairs"],
  [{d_model: 7, heads: 2}, "heads (2) must divide d_model (7)"],
  [{learning_rate: NaN}, "learning_rate"],
  [{learning_rate: -1}, "learning_rate"],
  [{task: "chess"}, "task"],
  [{colour: "red"}, "colour"],
  [{seed: 1.5}, "seed"]])
  test(`bad settings give a sentence: ${JSON.stringify(settings).slice(0, 60)}`, async () => {
    await assert.rejects(call("make", settings), (error) => error.message.includes(words) && !error.message.includes("\n"));
  });

test("bad requests give a sentence", async () => {
  await call("make", {task: "copy", length: 5});
  const weight = {source: "a b", prefix: ["a"], attention: "decoder.layers.0.multihead_attn", head: 0, query: 0, key: 0};
  await call("number", weight);
  for (const [name, body, words] of [
    ["translate", {}, "source"], ["translate", {source: ""}, "empty"],
    ["translate", {source: "a b", search: {beam: 1000}}, "beam"],
    ["translate", {source: "a b", heads_off: [{attention: "x", head: 0}]}, "attention"],
    ["translate", {source: "a ".repeat(500)}, "tokens"],
    ["number", {...weight, attention: "x"}, "attention"], ["number", {...weight, head: 9}, "head"],
    ["number", {...weight, query: 9}, "query"], ["number", {...weight, key: 9}, "key"],
    ["token", {side: "source", source: "a b", position: 9}, "token"],
    ["set", {learning_rate: -1}, "learning_rate"], ["dance", {}, "dance"]])
    await assert.rejects(call(name, body), (error) => error.message.includes(words), `${name} ${JSON.stringify(body)}`);
});

test("a few pasted pairs are learnt", async () => {
  const pairs = "one two\tun deux\ntwo one\tdeux un\none one\tun un\ntwo two\tdeux deux\n";
  const made = await call("make", {task: "own", pairs, d_model: 16, heads: 2, d_ff: 32, layers: 1, learning_rate: 0.02, warmup_steps: 10});
  assert.equal(made.training_pairs, 4);
  const events = await train(worker, 150);
  assert.equal(events.at(-1).exact, 100);
  assert.equal((await call("translate", {source: "two one"})).hypotheses[0].text, "deux un");
});
