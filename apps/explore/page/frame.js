// The frame of a page: the form, and the view that is open. The page itself says which views there are.

/// The view after the # of the address.
function current_view() {
  const name = location.hash.slice(1);
  return possible_views().includes(name) ? name : possible_views()[0];
}

/// Draws the current view from the state. The element with the focus keeps it, if it is there again.
function render() {
  const focused = document.activeElement?.id;
  const name = current_view(), view = by_id("view");
  for (const link of by_id("views").children)
    link.setAttribute("aria-current", link.hash === "#" + name ? "page" : "false");
  by_id("input").hidden = name === "training";
  show_changes(by_id("changes"));
  view.className = name;
  if (name === "training" || state.translation !== null || name === "heads") views[name].show(view);
  else show_start(view);
  if (focused && focused !== document.activeElement?.id) by_id(focused)?.focus({preventScroll: true});
}

/// The part above the views: the sentence or image, and the settings of the search.
function make_form() {
  const is_image = state.model.kind === "image";
  const source = is_image ?
    element("input", {type: "file", id: "source", accept: "image/png,image/jpeg", "aria-label": "Image"}) :
    element("input", {type: "text", id: "source", value: state.request.source, "aria-label": "Sentence",
                      placeholder: "Type a sentence and press Enter", autocomplete: "off", spellcheck: false});
  const button = element("button", {type: "submit", id: "translate"}, is_image ? "Describe" : "Translate");
  const form = element("form", {id: "form"}, source, button);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (!is_image) return translate_new({source: source.value});
    if (source.files.length > 0) return translate_new({image: await base64_of(source.files[0])});
  });
  if (is_image) source.addEventListener("change", () => form.requestSubmit());
  const settings = element("details", {id: "settings"}, element("summary", {}, "Search settings"),
    element("div", {class: "settings"}, Object.entries(state.model.search).map(setting_control)));
  if (saved !== null) for (const control of [source, button]) control.disabled = true;
  return [form, settings];
}

/// The bytes of a file as base64, without the prefix "data:image/png;base64,".
function base64_of(file) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result.slice(reader.result.indexOf(",") + 1));
    reader.onerror = () => reject(new Error("The file cannot be read."));
    reader.readAsDataURL(file);
  });
}

/// A control for one setting of the search. A change translates again. An empty control means the setting of the model.
function setting_control([name, value]) {
  const choices = state.model.search_choices?.[name];
  const id = "setting " + name, about = {"aria-description": state.model.search_help[name]};
  const control = choices ?
    element("select", {id, ...about}, choices.map((choice) =>
      element("option", {value: choice, selected: choice === value}, choice))) :
    typeof value === "boolean" ? element("input", {id, ...about, type: "checkbox", checked: value}) :
    element("input", {id, ...about, type: typeof value === "number" ? "number" : "text", step: "any", value: String(value)});
  control.disabled = saved !== null;
  control.addEventListener("change", () => {
    const given = control.type === "checkbox" ? control.checked :
      typeof value === "number" ? Number(control.value) : control.value;
    if (given === value || control.value === "") delete state.request.search[name];
    else state.request.search[name] = given;
    translate();
  });
  return element("label", about, element("span", {}, name.replaceAll("_", " ")), control);
}

/// What differs from a plain translation: no tag, a given beginning, heads that are off. Each of the last two can be undone.
function show_changes(parent) {
  const {prefix, heads_off} = state.request;
  const undo = (name, text, onclick) => element("span", {class: "change"}, text, saved !== null ? null :
    element("button", {type: "button", id: "undo " + name, onclick}, "undo"));
  show_in(parent, tag_remark(),
    prefix.length === 0 ? null :
      undo("prefix", `begins with “${prefix.map(visible).join(" ")}”`, () => { state.request.prefix = []; translate(); }),
    heads_off.length === 0 ? null :
      undo("heads", `${heads_off.length} ${heads_off.length === 1 ? "head" : "heads"} off`,
           () => set_heads_off([])));
}
