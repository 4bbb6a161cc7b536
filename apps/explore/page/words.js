// What the words of the page mean. An element with a description has it below it while it has the pointer or the focus.

const meanings = {
  "log-probability": "The sum of the natural logarithms of the tokens' probabilities. 0: certain. The lower, the less probable.",
  score: "The log-probability divided by a length penalty: ((5 + n)/6)^alpha for wu (Wu et al. 2016), n^alpha for power. n is " +
    "the number of tokens. The search ranks by the one that the search settings name.",
  rollout: "How much of each input reaches each output of the last layer. Each layer passes on half of a position by its " +
    "attention, in the mean over the heads, and half unchanged (Abnar and Zuidema 2020).",
  nats: "The nats are the entropy of its rows, in the mean: 0 if each token attends to one token only, log n if to all n alike. " +
    "Behind the number of the head is the place that it mostly attends to, if there is one.",
};

/// A text with the meaning of its first word, which the keyboard reaches, too.
function explained(text) {
  return element("span", {tabIndex: 0, "aria-description": meanings[text.split(" ")[0]]}, text);
}

const help = element("div", {id: "help", role: "tooltip", hidden: true});
document.body.append(help);
for (const kind of ["mouseover", "focusin"])
  document.addEventListener(kind, ({target}) => {
    const about = target.closest("[aria-description]") ?? document.querySelector("[aria-description]:focus-visible");
    help.hidden = about === null;
    if (help.hidden) return;
    help.textContent = about.getAttribute("aria-description");
    const {left, top, bottom} = about.getBoundingClientRect(), {offsetWidth, offsetHeight} = help;
    with_variables(help, {left: Math.max(8, Math.min(left, innerWidth - offsetWidth - 24)) + "px",
                          top: scrollY + (bottom + offsetHeight < innerHeight ? bottom : top - offsetHeight) + "px"});
  });
for (const kind of ["focusout", "keydown"])
  document.addEventListener(kind, ({key}) => { help.hidden ||= key === undefined || key === "Escape"; });
