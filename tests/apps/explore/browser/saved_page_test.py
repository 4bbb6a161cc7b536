"""The page as one file, and its look in other windows."""

import os
import tempfile
from xml.etree import ElementTree

import support
from support import PageTest

SENTENCE = "three four"


class SavedPage(PageTest):
    def setUp(self):
        super().setUp()
        path = support.context.path("page.html")
        support.context.run("explore", support.context.model, "--sentence", SENTENCE, "--output", path)
        self.size = os.path.getsize(path)
        self.browser.get("file://" + path)

    def test_a_saved_page_shows_everything_without_a_server(self):
        self.assertLess(self.size, 300_000)
        self.assertEqual(self.translation(), "drei vier")
        self.browser.by_id("token 0").click()
        self.assertGreater(len(self.browser.find_all("#rivals .rival")), 3)
        for view in ("attention", "heads", "search", "training"):
            self.open_view(view)
        self.assertTrue(self.browser.find_all(".plots svg"))

    def test_a_saved_page_saves_its_maps(self):
        self.open_view("attention")
        with tempfile.TemporaryDirectory() as directory:
            path = self.browser.downloaded(self.browser.by_id("save source:mean").click, directory)
            texts = [text.text for text in ElementTree.parse(path).iter("{http://www.w3.org/2000/svg}text")]
        self.assertEqual(texts, ["Source, mean over layers and heads", *SENTENCE.split(), "</s>", "drei", "vier", "</s>"])

    def test_a_saved_page_says_that_it_is_saved_and_switches_controls_off(self):
        self.assertIn("saved page", self.browser.by_id("message").text)
        for identity in ("source", "translate"):
            self.assertIsNotNone(self.browser.by_id(identity).get_attribute("disabled"))
        self.browser.by_id("token 0").click()
        self.assertIsNotNone(self.browser.by_id("rival 1").get_attribute("disabled"))
        self.open_view("heads")
        enabled = "return document.querySelectorAll('.head:enabled').length"
        self.assertEqual(self.browser.execute_script(enabled), 0)


class Look(PageTest):
    def test_no_view_is_wider_than_a_narrow_window(self):
        self.translate("one two three")
        self.browser.show(420, dark=True)
        for view in ("translate", "attention", "heads", "search", "training"):
            self.open_view(view)
            self.assertLessEqual(self.browser.execute_script("return document.documentElement.scrollWidth"), 420, view)

    def test_the_page_follows_the_colour_scheme(self):
        ground = "return getComputedStyle(document.body).backgroundColor"
        self.browser.show(1400, dark=False)
        self.assertEqual(self.browser.execute_script(ground), "rgb(255, 255, 255)")
        self.browser.show(1400, dark=True)
        self.assertEqual(self.browser.execute_script(ground), "rgb(20, 23, 27)")
