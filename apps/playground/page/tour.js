// A guided tour of seven steps, for someone who has never seen attention.

/// Each step has settings that differ from the defaults, what one should look at, and the claim of the book that it is about.
const steps = [
  {title: "A sentence in one vector", settings: {task: "copy", length: 12, model: "no_attention", layers: 1, bidirectional: false}, look: "exact", claim: "A1",
   text: "This model reads one letter after another, and keeps one vector. From this vector alone it has to write all letters again. " +
     "Train it for a minute. The exact match rises, because short sentences become right. But the test sentence has 12 letters, " +
     "and it stays wrong: so many letters hardly fit into the vector."},
  {title: "What was read last is easier", settings: {task: "reverse", length: 12, model: "no_attention", layers: 1, bidirectional: false}, look: "exact", claim: "A4",
   text: "Now the model writes the letters from the end. The letter that it read last is the first one to write, so it is " +
     "still fresh in the vector. Compare the exact match at step 600. It helps at first. But the vector is as small as before: " +
     "after a minute, both models have about half of the sentences right."},
  {title: "Attention: look back at every letter", settings: {task: "reverse", length: 12, model: "recurrent", layers: 1}, look: "maps", claim: "A3",
   text: "The same model, but for each letter that it writes, it may look back at all letters of the source. Weights say how much it " +
     "takes from each. In the map, a row is a letter that it writes, and a column is a letter of the source. Watch a line " +
     "appear. Reading the source in both directions helps, too, but does not replace this."},
  {title: "Nothing but attention: the Transformer", settings: {}, look: "maps", claim: "A1",
   text: "A Transformer does not read one letter after another. Its only way to carry something from place to place is attention, in " +
     "several heads side by side. Move the slider back to see how the maps began. Then choose a map, and switch its head off."},
  {title: "Without positions, the order is lost", settings: {positions: "none"}, look: "exact", claim: "D1",
   text: "Attention alone does not know the order: if the words change places, its output only changes places, too. Without positions, " +
     "the model cannot know which letter was the last. Now choose the task “Sort letters”: there the order does not matter, " +
     "and the same model learns it."},
  {title: "Positions are waves", settings: {}, look: "inner", claim: "D5", inside: {side: "source", position: 2},
   text: "So each position gets a vector of its own: waves of many lengths, which are added to the vector of the token. Below is one " +
     "token: its embedding, its position, and their sum. The product of two positions depends on their distance alone."},
  {title: "Inside one number", settings: {}, look: "inner", claim: "A1", inside: {query: 0, key: 0},
   text: "A weight is no secret. Choose a square of the large map: a query and a key are multiplied, the softmax makes weights of the " +
     "scores, and the values are added with these weights. Then write a sentence of your own in the view Tokens."},
];

/// Shows a step; null closes the tour.
function show_step_of_tour(at) {
  const card = by_id("tour"), step = steps[at];
  card.hidden = step === undefined;
  document.body.dataset.look = step?.look ?? "";
  if (step === undefined) return show_in(card);
  const go = (text, to, id) => element("button", {type: "button", id, disabled: to < 0 || to >= steps.length,
                                                  onclick: () => show_step_of_tour(to)}, text);
  show_in(card,
    element("h2", {tabIndex: -1, id: "tour title"}, `${at + 1} of ${steps.length}: ${step.title}`),
    element("p", {}, step.text, " ", claim_link(step.claim)),
    element("p", {class: "buttons"},
      element("button", {type: "button", id: "tour do", class: "strong", onclick: () => do_step(step)}, "Set it up and train"),
      go("Back", at - 1, "tour back"), go("Next", at + 1, "tour next"),
      element("button", {type: "button", id: "tour close", onclick: () => { show_step_of_tour(null); by_id("tour open").focus(); }}, "Close")));
  by_id("tour title").focus();
}

async function do_step({settings, inside: what}) {
  const same = JSON.stringify({...default_settings(), ...settings}) === JSON.stringify(play.settings);
  if (!same && !await begin_with_settings({...default_settings(), ...settings})) return;
  location.hash = "#training";
  if (!play.training) await train_or_pause();
  if (what) look_inside("query" in what ? {...head_of(chosen_picture()), ...what} : what);
}

/// Before there is a sentence, the views of sentences offer the tour.
function experiment_list() {
  return element("p", {}, element("button", {type: "button", class: "link", onclick: () => show_step_of_tour(0)}, "The guided tour, in seven steps"));
}
