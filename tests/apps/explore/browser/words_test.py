"""What the page says to somebody who sees it for the first time."""

import json

import support
from support import Keys, PageTest, Server, wait_for

SENTENCE = "two one four"


class Words(PageTest):
    def shown_help(self):
        return self.browser.by_id("help").text  # empty if it is hidden

    def check_help(self, element, hovered, focused, expected):
        """The text is below an element while it has the pointer, and again while it has the focus."""
        self.assertTrue(expected)
        self.browser.hover(hovered)
        self.assertEqual(self.shown_help(), expected, element)
        self.browser.hover(self.browser.find("h1"))
        self.assertEqual(self.shown_help(), "", element)
        self.browser.execute_script("arguments[0].focus({focusVisible: true})", focused)
        self.assertEqual(self.shown_help(), expected, element)
        self.browser.hover(self.browser.find("h1"))  # the focus stays
        self.assertEqual(self.shown_help(), expected, element)
        focused.send_keys(Keys.ESCAPE)
        self.assertEqual(self.shown_help(), "", element)
        self.browser.execute_script("arguments[0].blur()", focused)

    def test_each_setting_has_an_explanation(self):
        self.browser.find("#settings summary").click()
        texts = self.browser.execute_script(
            "return fetch('/api/model' + location.search).then((reply) => reply.json())")["search_help"]
        self.assertIn("Hypotheses kept at each step", texts["beam"])
        labels = self.browser.find_all(".settings label")
        self.assertEqual(len(labels), 13)
        for label in labels:
            control = label.find_element("css selector", "input, select")
            name = control.get_property("id").removeprefix("setting ")
            self.assertEqual(control.get_attribute("aria-description"), texts[name])  # for screen readers
            self.check_help(name, label.find_element("css selector", "span"), control, texts[name])

    def test_the_words_of_tables_have_an_explanation(self):
        self.translate(SENTENCE)
        self.open_view("search")
        for word, part in (("score (wu)", "((5 + n)/6)^alpha"), ("log-probability", "logarithms")):
            head = next(one for one in self.browser.find_all("#hypotheses th span") if one.text == word)
            self.check_help(word, head, head, head.get_attribute("aria-description"))
            self.assertIn(part, head.get_attribute("aria-description"))

    def test_the_words_of_maps_have_an_explanation(self):
        self.translate(SENTENCE)
        self.open_view("attention")
        for name, part in (("encoder.layers.0.self_attn:1", "entropy"), ("encoder:rollout", "Abnar and Zuidema")):
            tile = self.browser.by_id("map " + name)
            self.check_help(name, tile, tile, tile.get_attribute("aria-description"))
            self.assertIn(part, tile.get_attribute("aria-description"))

    def test_the_first_view_says_what_the_views_show(self):
        self.browser.find("#what li")
        names = self.browser.texts("#views a")
        self.assertEqual([text.split(":")[0] for text in self.browser.texts("#what li")], names)
        self.assertEqual(len(set(names) | set(self.browser.texts("#translate"))), len(names) + 1)  # no name twice

    def test_a_model_without_tags_has_no_remark(self):
        self.translate(SENTENCE)
        self.assertEqual(self.browser.texts("#tags"), [])
        self.assertEqual(self.browser.texts('[aria-label="Experiments"]'), [])


class Tags(PageTest):
    """A model whose sentences begin with a tag, as those of the toy."""

    @classmethod
    def setUpClass(cls):
        context = support.context
        for name, side in (("tagged.source", 0), ("tagged.target", 1)):
            with open(context.path(name), "w", encoding="utf-8") as file:
                file.writelines(f">>{tag}<< {pair[0]}\n" if side == 0 else f"{pair[1]}\n"
                                for pair in support.WORDS.items() for tag in ("fr", "ko"))
        config = {**support.CONFIG, "data": {"source": context.path("tagged.source"),
                                             "target": context.path("tagged.target")},
                  "training": {**support.CONFIG["training"], "steps": 2}}
        del config["validation"]
        with open(context.path("tagged.json"), "w", encoding="utf-8") as file:
            json.dump(config, file)
        context.run("train", context.path("tagged.json"), "--out", context.path("tagged"))
        cls.server = Server(context.program, context.path("tagged"))
        cls.server.__enter__()
        cls.addClassCleanup(cls.server.__exit__)

    def setUp(self):
        super().setUp()
        self.browser.get(self.server.address)

    def test_a_sentence_without_a_tag_gives_a_remark(self):
        self.assertIn("begins with a tag", self.browser.by_id("tags").text)
        self.assertIn(">>fr<<, >>ko<<", self.browser.by_id("tags").text)
        self.assertNotIn("has no tag", self.browser.by_id("tags").text)  # there is no sentence yet
        self.translate("one")
        self.assertIn("This sentence has no tag", self.browser.by_id("tags").text)
        self.open_view("attention")
        self.assertIn("This sentence has no tag", self.browser.by_id("tags").text)
        self.open_view("translate")
        self.translate(">>ko<< one")
        self.assertEqual(self.browser.texts("#tags"), [])

    def test_the_experiments_are_links(self):
        experiments = '[aria-label="Experiments"] a'
        self.browser.find(experiments)
        links = self.browser.find_all(experiments)
        self.assertEqual(len(links), 5)
        links[3].click()
        self.wait_for_translation(lambda: self.browser.find_all("#n-best"))
        wait_for(lambda: len(self.browser.find_all("#n-best tbody tr")) == 3, "three translations")
        self.assertEqual([self.browser.by_id("setting " + name).get_property("value") for name in ("n_best", "alpha")],
                         ["3", "0"])
        self.browser.find_all(experiments)[2].click()
        self.browser.by_id("without heads")
        self.assertEqual(self.browser.texts(".head.off"), ["1 off"])
        self.assertIn("the old farmer", self.browser.by_id("source").get_property("value"))
