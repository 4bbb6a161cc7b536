// A guided tour of seven steps, for someone who has never seen attention.

/// Each step has settings that differ from the defaults, what one should look at, and the claim of the book that it is about.
const steps = [
  {title: "A sentence in one vector", settings: {task: "copy", length: 12, model: "no_attention", layers: 1, bidirectional: false}, look: "exact", claim: "A1",
   text: "This model reads one letter after another, and keeps one vector: a list of 64 numbers. From this vector alone it has to write " +
     "the same letters (each letter is a token; </s> is the end). Train it for a minute. Exact match counts the new sentences in which every " +
     "letter is right. It rises, because short sentences become right. But the test sentence has 12 letters, and only its first ones " +
     "become right: so many letters do not fit into the vector."},
  {title: "What was read last is easier", settings: {task: "reverse", length: 12, model: "no_attention", layers: 1, bidirectional: false}, look: "exact", claim: "A4",
   text: "Now the model writes the letters backwards. The letter that it read last is the first one to write, so it is still fresh in " +
     "the vector, and the model becomes sure of its first letter a little earlier. But the vector is as small as before: the last " +
     "letters stay wrong, and after a minute about half of the sentences are right, as before."},
  {title: "Attention: look back at every letter", settings: {task: "reverse", length: 12, model: "recurrent", layers: 1}, look: "maps", claim: "A3",
   text: "The same model with two changes: it reads from both ends, and for each letter that it writes, it may look back at all letters of " +
     "the source. The second change matters most. Weights say how much it takes from each letter. In the map, a row is a letter that it " +
     "writes (it asks, so it is called a query), and a column is a letter of the source (a key). Watch a line appear."},
  {title: "Nothing but attention: the Transformer", settings: {}, look: "maps", claim: "A1",
   text: "A Transformer does not read one letter after another. Attention is the only way for one letter to learn of another. A head is one " +
     "attention with its own map; here four work at the same time in each layer. (These sentences have 10 letters. The curve may fall for a " +
     "moment; it recovers.) Move the slider back to see how the maps began, and then to its right end. Choose a map, and switch its head " +
     "off: the others may do its work. Switch all four of “Source, layer 1” off, and the translation breaks."},
  {title: "Without positions, the order is lost", settings: {positions: "none"}, look: "exact", claim: "D1",
   text: "Attention alone does not know where a letter stands. Without positions, the model sees a bag of letters: it knows which ones there " +
     "are, but not which one was last. So it cannot reverse them. Look at the test sentence: often the right letters, in a wrong " +
     "order. Now choose the task “Sort letters” and press Train: to sort, it is enough to know which letters there are."},
  {title: "Positions are waves", settings: {}, look: "inner", claim: "D5", inside: {side: "source", position: 2},
   text: "So each position gets a vector of its own: waves of many lengths. It is added to the vector of the token. Below you see the " +
     "third letter (counting begins at 0): its embedding, which is the vector that the model has learnt for it, its position, and their " +
     "sum. In the blue picture, each diagonal has one colour: two positions that are equally far apart give the same product."},
  {title: "Inside one number", settings: {}, look: "inner", claim: "A1", inside: {query: 0, key: 9},
   text: "You can compute each weight yourself. Press Pause, and choose a square of the large map. The letter to write has a query, each letter of " +
     "the source has a key and a value; the model makes these vectors from those of the tokens. Query times key is the score. The softmax " +
     "makes shares of the scores, which sum to 1: the weights. The output is the sum of the values, each times its weight. Then write letters " +
     "of your own in the view Tokens, with blanks between them: h e l l o."},
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
  if (!what) return;
  look_inside("query" in what ? {...head_of(chosen_picture()), ...what} : what);
  by_id("inner").scrollIntoView({block: "center"});
}

/// Before there is a sentence, the views of sentences offer the tour.
function experiment_list() {
  return element("p", {}, element("button", {type: "button", class: "link", onclick: () => show_step_of_tour(0)}, "The guided tour, in seven steps"));
}
