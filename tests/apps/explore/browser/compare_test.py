"""The view Compare, with two models and with the checkpoints of one of them."""

import json
import os

import support
from support import Keys, PageTest, Server, wait_for

SENTENCE = "four one two"


class Compare(PageTest):
    @classmethod
    def setUpClass(cls):
        context = support.context
        cls.other = context.path("checkpoints")
        settings = ["training.steps=60", "training.seed=2", "validation.every_steps=20", "checkpoints.keep_last=2"]
        context.run("train", context.path("config.json"), "--out", cls.other,
                    *(word for setting in settings for word in ("--set", setting)))
        cls.checkpoint = os.path.join(cls.other, "checkpoints", "40.safetensors")
        cls.server = Server(context.program, context.model, cls.other)
        cls.server.__enter__()
        cls.addClassCleanup(cls.server.__exit__)

    def setUp(self):
        super().setUp()
        self.browser.get(self.server.address)
        self.translate(SENTENCE)
        self.open_view("compare")
        self.wait_for_other(self.other)

    def wait_for_other(self, name):
        wait_for(lambda: self.browser.texts("#second h2") == [name], "the translation of the other model")

    def check_column(self, column, model, *options):
        """Compares a column with the command: the text, and the weights of the last head."""
        path = support.context.path("compared.jsonl")
        text = support.context.run("translate", model, *options, "--attention-json", path, text=SENTENCE + "\n")
        self.assertEqual(self.browser.texts(f"#{column} .text"), text)
        with open(path, encoding="utf-8") as file:
            module = json.loads(file.readline())["attention"][-1]
        shown = self.browser.execute_script(
            "return [...document.querySelectorAll(arguments[0])].map((one) => one.getAttribute('fill-opacity'))",
            f"#{column} .heat-map rect[stroke]")
        self.assertEqual(shown, [f"{weight:.3f}" for weight in module["heads"][-1]["weights"]])

    def choose(self, identity, value):
        self.browser.find(f'[id="{identity}"] option[value="{value}"]').click()

    def test_two_models_are_side_by_side(self):
        self.choose("picture first", "decoder.layers.1.multihead_attn:1")  # the other follows
        self.check_column("first", support.context.model)
        self.check_column("second", self.other)
        left, right = (self.browser.by_id(name).rect for name in ("first", "second"))
        self.assertEqual(left["y"], right["y"])
        self.assertLess(left["x"] + left["width"], right["x"])
        self.browser.show(420, dark=True)
        self.assertLessEqual(self.browser.execute_script("return document.documentElement.scrollWidth"), 420)
        self.choose("picture second", "encoder:mean")
        self.check_column("first", support.context.model)
        self.assertEqual(self.browser.texts("#second .heat-map svg > text")[0],
                         self.other + ": Encoder, mean over layers and heads")

    def test_a_checkpoint_is_compared_too(self):
        options = self.browser.texts('[id="compare with"] option')
        self.assertEqual(options[:2], [self.other, os.path.join(self.other, "checkpoints", "60.safetensors")])
        self.choose("picture first", "decoder.layers.1.multihead_attn:1")
        self.choose("compare with", self.checkpoint)
        self.wait_for_other(self.checkpoint)
        self.check_column("second", self.other, "--weights", self.checkpoint)

    def test_another_sentence_is_compared_too(self):
        source = self.browser.by_id("source")
        source.clear()
        source.send_keys("three three" + Keys.ENTER)
        wait_for(lambda: self.browser.texts("#second .heat-map svg > text")[1:4] == ["three", "three", "</s>"],
                 "the other translation of the new sentence")


class OneModel(PageTest):
    def test_one_model_has_nothing_to_compare(self):
        self.browser.by_id("source")
        self.assertEqual(self.browser.find_all('a[href="#compare"]'), [])
