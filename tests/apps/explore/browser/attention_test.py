"""The views Attention and Heads, compared with --attention-json and with plain loops."""

import json
import os
import tempfile
from xml.etree import ElementTree

import support
from support import Keys, PageTest, wait_for

SENTENCE = "four one two"
SVG = "{http://www.w3.org/2000/svg}"


def attention_of_the_command():
    path = support.context.path("attention.jsonl")
    support.context.run("translate", support.context.model, "--attention-json", path, text=SENTENCE + "\n")
    with open(path, encoding="utf-8") as file:
        return json.loads(file.readline())["attention"]


def rollout(layers):
    """Attention rollout as plain loops (Abnar and Zuidema 2020). Each layer is a list of heads, each of n x n."""
    n = len(layers[0][0])
    result = [[float(i == j) for j in range(n)] for i in range(n)]
    for heads in layers:
        step = [[0.0] * n for _ in range(n)]
        for i in range(n):
            for j in range(n):
                mean = sum(head[i][j] for head in heads) / len(heads)
                step[i][j] = 0.5 * mean + 0.5 * (i == j)
            total = sum(step[i])
            step[i] = [value / total for value in step[i]]
        result = [[sum(step[i][k] * result[k][j] for k in range(n)) for j in range(n)] for i in range(n)]
    return result


def check_image(test, path, title, weights, sentence, outputs):
    """Checks a saved map: its texts, a square for each weight, and that it needs no style sheet."""
    svg = ElementTree.parse(path).getroot()
    test.assertEqual([text.text for text in svg.findall(SVG + "text")],
                     [title, *sentence.split(), "</s>", *outputs])
    paper, *squares = svg.findall(SVG + "rect")
    test.assertEqual(paper.get("fill"), "#fff")
    test.assertEqual([square.get("fill-opacity") for square in squares], [f"{weight:.3f}" for weight in weights])
    test.assertEqual(len({(square.get("x"), square.get("y")) for square in squares}), len(weights))
    test.assertFalse([one for one in svg.iter() if one.get("style") or one.get("class")])


def in_rows(values, columns):
    return [values[i:i + columns] for i in range(0, len(values), columns)]


class Attention(PageTest):
    def setUp(self):
        super().setUp()
        self.translate(SENTENCE)
        self.open_view("attention")

    def tables_of(self, pictures):
        """All weights of each picture, as the page shows them in the table below it."""
        return self.browser.execute_script("""
            const tables = async (pictures) => {
              const result = [];
              for (const picture of pictures) {
                document.getElementById("map " + picture).click();
                document.querySelector(".weights summary").click();
                while (document.querySelector(".weights table") === null)
                  await new Promise((resume) => setTimeout(resume));
                result.push([...document.querySelectorAll(".weights td data")].map((one) => Number(one.value)));
              }
              return result;
            };
            return tables(arguments[0]);""", pictures)

    def check_close(self, got, expected):
        self.assertEqual(len(got), len(expected))
        for one, other in zip(got, expected):
            self.assertAlmostEqual(one, other, delta=1e-6)

    def test_all_weights_are_those_of_the_command(self):
        attention = attention_of_the_command()
        self.assertEqual(len(attention), 6)  # encoder, decoder and source in two layers
        for module in attention:
            tables = self.tables_of([f"{module['name']}:{number}" for number in range(2)])
            for table, head in zip(tables, module["heads"], strict=True):
                self.check_close(table, head["weights"])

    def test_mean_and_maximum_are_over_the_heads(self):
        for module in attention_of_the_command()[:2]:
            weights = [head["weights"] for head in module["heads"]]
            mean, maximum = self.tables_of([module["name"] + ":mean", module["name"] + ":maximum"])
            self.check_close(mean, [sum(one) / len(one) for one in zip(*weights)])
            self.check_close(maximum, [max(one) for one in zip(*weights)])

    def test_rollout_is_that_of_a_plain_loop(self):
        for kind in ("encoder", "decoder"):
            modules = [module for module in attention_of_the_command() if module["kind"] == kind]
            layers = [[in_rows(head["weights"], module["keys"]) for head in module["heads"]] for module in modules]
            self.check_close(self.tables_of([kind + ":rollout"])[0], [value for row in rollout(layers) for value in row])

    def test_the_labels_of_a_head_are_its_entropy_and_its_place(self):
        for module in attention_of_the_command():
            for number, head in enumerate(module["heads"]):
                label = self.browser.by_id(f"map {module['name']}:{number}").text
                self.assertIn(f"{head['entropy']:.2f} nats", label)
                place = {"end": "</s>", "begin": "first"}.get(head["looks_at"], head["looks_at"])
                self.assertIn(place, label)

    def test_pointing_at_a_token_shows_its_weights(self):
        module = next(one for one in attention_of_the_command() if one["kind"] == "source")
        weights = in_rows(module["heads"][0]["weights"], module["keys"])
        self.browser.by_id(f"map {module['name']}:0").click()
        shades = ("return [...document.querySelectorAll('.lines .%s li')]"
                  ".map((one) => Number(one.style.getPropertyValue('--shade')))")
        self.browser.hover(self.browser.find_all(".lines .queries button")[1])
        self.check_close(self.browser.execute_script(shades % "keys"), weights[1])
        sentence = self.browser.find(".attends").text
        best = max(range(module["keys"]), key=lambda j: weights[1][j])
        self.assertIn(f"eins attends to {(SENTENCE.split() + ['</s>'])[best]} ({weights[1][best]:.3f})", sentence)
        self.browser.hover(self.browser.find_all(".lines .keys button")[0])
        self.check_close(self.browser.execute_script(shades % "queries"), [row[0] for row in weights])
        self.assertIn("four is attended to by", self.browser.find(".attends").text)

    def test_the_map_is_saved_as_it_is_shown(self):
        module = next(one for one in attention_of_the_command() if one["kind"] == "source")
        self.browser.by_id(f"map {module['name']}:1").click()
        shown = self.browser.find(".heat-map svg")
        self.assertEqual(len(shown.find_elements("css selector", "rect")), 1 + module["queries"] * module["keys"])
        with tempfile.TemporaryDirectory() as directory:
            path = self.browser.downloaded(self.browser.by_id(f"save {module['name']}:1").click, directory)
            self.assertEqual(os.path.basename(path), f"{module['name']}-1.svg")
            check_image(self, path, f"Source, layer {module['layer']}, head 1", module["heads"][1]["weights"], SENTENCE,
                        ["vier", "eins", "zwei", "</s>"])

    def test_a_link_leads_the_keyboard_past_the_maps(self):
        focused = "return document.activeElement.id"
        self.browser.find("#settings summary").send_keys(Keys.TAB)
        self.assertEqual(self.browser.execute_script(focused), "skip")
        self.assertTrue(self.browser.by_id("skip").is_displayed())
        self.browser.by_id("skip").send_keys(Keys.ENTER)
        self.assertEqual(self.browser.execute_script(focused), "large")
        self.browser.switch_to.active_element.send_keys(Keys.TAB)
        self.assertTrue(self.browser.execute_script("return document.activeElement.closest('#large') !== null"))
        self.assertTrue(self.browser.execute_script("return location.hash === '#attention'"))

    def test_the_chosen_map_is_visible_without_scrolling(self):
        self.browser.show(1280, dark=False, height=800)
        self.assertEqual(self.browser.find('.map[aria-pressed="true"]').get_property("id"), "map source:mean")
        for selector in ('.map[aria-pressed="true"]', ".line-canvas", ".heat-map svg"):
            top, bottom = self.browser.execute_script(
                "const box = document.querySelector(arguments[0]).getBoundingClientRect(); return [box.top, box.bottom]",
                selector)
            self.assertTrue(0 <= top < bottom <= 800, (selector, top, bottom))

    def test_six_maps_are_in_a_line(self):
        self.browser.show(1100, dark=False)
        columns = "return getComputedStyle(document.querySelector('.map-cells')).gridTemplateColumns.split(' ').length"
        self.assertEqual(self.browser.execute_script(columns), 6)

    def test_all_maps_are_on_paper(self):
        blank = """return [...document.querySelectorAll(".map canvas")].filter((canvas) => !canvas.getContext("2d")
                   .getImageData(0, 0, canvas.width, canvas.height).data.some((value) => value > 0)).length"""
        self.browser.show(1280, dark=False, height=300)
        self.open_view("translate")
        self.open_view("attention")
        self.assertGreater(self.browser.execute_script(blank), 0)  # those far below the window
        self.browser.execute_cdp_cmd("Page.printToPDF", {})
        self.assertEqual(self.browser.execute_script(blank), 0)
        # A dark page becomes light while it is printed, and is drawn anew.
        self.browser.show(1280, dark=True, height=300)
        wait_for(lambda: self.browser.execute_script(blank) > 0, "a dark page")
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print", "features": [
            {"name": "prefers-color-scheme", "value": "light"}]})
        wait_for(lambda: self.browser.execute_script(blank) == 0, "all maps of the light page")
        self.browser.find(".heat-map svg")

    def test_the_labelled_map_is_dark_on_a_dark_page(self):
        self.browser.show(1280, dark=True)
        colours = ("return ['fill', 'color'].map((name) => getComputedStyle(document.querySelector("
                   "name === 'fill' ? '.heat-map rect' : '.heat-map svg'))[name])")
        self.assertEqual(self.browser.execute_script(colours), ["none", "rgb(232, 235, 239)"])

    def test_the_lines_are_drawn(self):
        pixels = ("const canvas = document.querySelector('.line-canvas');"
                  "return canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data"
                  ".filter((value, i) => i % 4 === 3 && value > 0).length")
        wait_for(lambda: self.browser.execute_script(pixels) > 100, "lines between the tokens")


class Heads(PageTest):
    def setUp(self):
        super().setUp()
        self.translate(SENTENCE)
        self.open_view("heads")

    def log_probability(self, row):
        return self.numbers(f'[id="{row}"] td:nth-child(3) data')

    def test_a_head_that_is_off_changes_the_translation_at_once(self):
        before = self.log_probability("with all heads")[0]
        self.browser.by_id("row decoder.layers.1.multihead_attn").click()
        after = wait_for(lambda: self.log_probability("without heads"), "the translation without heads")[0]
        self.assertLess(after, before)
        expected = self.browser.execute_script("""
            const body = {source: arguments[0], heads_off: [0, 1].map((head) =>
              ({attention: "decoder.layers.1.multihead_attn", head}))};
            return fetch("/api/translate" + location.search, {method: "POST", headers: {"Content-Type": "application/json"},
              body: JSON.stringify(body)}).then((reply) => reply.json()).then((reply) =>
              [reply.hypotheses[0].text, reply.hypotheses[0].log_probability]);""", SENTENCE)
        self.assertEqual([self.browser.texts('[id="without heads"] td')[0], after], expected)
        self.assertEqual(self.browser.find(".change").text.split("\n")[0], "2 heads off")
        self.open_view("attention")
        self.assertIn("off", self.browser.by_id("map decoder.layers.1.multihead_attn:0").text)
        self.open_view("heads")
        self.browser.by_id("all on").click()
        wait_for(lambda: not self.log_probability("without heads"), "the translation with all heads")
        self.assertEqual(self.log_probability("with all heads")[0], before)

    def test_one_head_can_be_switched_by_itself(self):
        head = self.browser.by_id("head encoder.layers.0.self_attn:1")
        self.assertEqual(head.get_attribute("aria-pressed"), "true")
        head.click()
        wait_for(lambda: self.log_probability("without heads"), "the translation without the head")
        self.assertEqual(self.browser.texts(".head.off"), ["1 off"])
        self.browser.by_id("head encoder.layers.0.self_attn:1").click()
        wait_for(lambda: not self.log_probability("without heads"), "the translation with all heads")

    def test_another_sentence_is_compared_too(self):
        self.browser.by_id("row decoder.layers.1.multihead_attn").click()
        wait_for(lambda: self.log_probability("without heads"), "the translation without heads")
        self.browser.by_id("source").clear()
        self.browser.by_id("source").send_keys("three three" + Keys.ENTER)
        text = '[id="with all heads"] td'
        wait_for(lambda: self.browser.texts(text)[0] == "drei drei", "the translation with all heads")
        self.assertTrue(self.log_probability("without heads"))

    def test_the_importance_of_heads_is_the_one_of_the_command(self):
        self.browser.by_id("measure").click()
        self.browser.by_id("importance")
        lines = support.context.run("inspect", support.context.model, "--head-importance", "--source",
                                    support.context.source, "--target", support.context.target)
        expected = {":".join(words[:2]): float(words[2]) for words in map(str.split, lines) if len(words) == 4
                    and "layers" in words[0]}
        losses = self.numbers("#importance td:nth-child(2) data")
        self.assertEqual(losses, sorted(losses, reverse=True))
        self.assertEqual(len(losses), 12)
        for button, loss in zip(self.browser.find_all("#importance button"), losses):
            name = button.get_property("id").removeprefix("ranked ")
            self.assertAlmostEqual(loss, expected[name], delta=1e-6)
            self.assertIn(f", layer {name.split('.')[2]}, head {name[-1]}", button.text)
