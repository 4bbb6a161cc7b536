// The figures of the playground's README, in node:  node figures.mjs FOLDER tour|letters|heads
// FOLDER is what apps/playground/build.sh makes; build/package.json must say {"type": "module"}, as run.sh writes it.
// tour: exact matches after each 200 steps, for a minute. letters: the first and the last letter of the models without
// attention, three seeds. heads: how many of 40 sentences are right with heads off.
import path from "node:path";
import {start, train} from "./worker.mjs";

const [folder, what] = process.argv.slice(2);
const worker = await start(path.resolve(folder));
const without = {length: 12, model: "no_attention", layers: 1, bidirectional: false};
const exact = (events) => Math.round(events.findLast((event) => event.exact != null)?.exact);

/// Letters drawn at random, the same ones each time.
function sentences(length) {
  let state = 12345;
  const random = () => (state = (state * 1103515245 + 12345) & 0x7fffffff) / 0x80000000;
  return [...Array(40)].map(() => [...Array(length)].map(() => "abcdefghijklmnopqrst"[Math.floor(random() * 20)]));
}

async function translated(letters, request = {}) {
  return (await worker.call("translate", {source: letters.join(" "), ...request})).hypotheses[0];
}

const runs = {
  async tour() {
    for (const settings of [{task: "copy", ...without}, {task: "reverse", ...without},
                            {task: "reverse", length: 12, model: "recurrent", layers: 1}, {task: "reverse"},
                            {task: "reverse", positions: "none"}, {task: "sort", positions: "none"}]) {
      await worker.call("make", settings);
      const line = [];
      for (let until = 200, seconds = 0; seconds < 60; until += 200) {
        const events = await train(worker, until);
        seconds = events.at(-1).seconds;
        line.push(`step ${until}, ${seconds.toFixed(0)} s: ${exact(events)} %`);
      }
      console.log(JSON.stringify(settings), line.join("; "));
    }
  },
  async letters() {
    for (const seed of [1, 2, 3])
      for (const task of ["copy", "reverse"]) {
        await worker.call("make", {task, ...without, seed});
        const events = await train(worker, 800);
        let sure = 0, last = 0;
        for (const letters of sentences(12)) {
          const {tokens} = await translated(letters, {search: {beam: 1}});
          sure += tokens[0].probability / 40;
          last += (tokens[11]?.token === (task === "copy" ? letters[11] : letters[0])) / 40;
        }
        console.log(`seed ${seed}, ${task}: ${exact(events)} % exact, sure of the first letter ${sure.toFixed(2)}, last letter right ${last.toFixed(2)}`);
      }
  },
  async heads() {
    const {model} = await worker.call("make", {task: "reverse"});
    await train(worker, 2000);
    const right = async (heads_off) => {
      let count = 0;
      for (const letters of sentences(10)) count += (await translated(letters, {heads_off})).text === [...letters].reverse().join(" ");
      return count;
    };
    console.log(`all heads: ${await right([])} of 40`);
    for (const {name, heads} of model.attention)
      console.log(`${name}: without head 0 ${await right([{attention: name, head: 0}])}, without all ` +
                  `${await right([...Array(heads).keys()].map((head) => ({attention: name, head})))}`);
  },
};
await runs[what]();
process.exit(0);
