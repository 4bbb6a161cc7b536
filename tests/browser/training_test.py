"""The view Training, while a training writes its log."""

import json
import os
import shutil

import support
from support import PageTest, Server
from webdriver import wait_for


class Training(PageTest):
    def setUp(self):
        super().setUp()
        self.open_view("training")

    def test_the_last_numbers_are_those_of_the_log(self):
        with open(os.path.join(support.context.model, "metrics.jsonl"), encoding="utf-8") as file:
            entries = [json.loads(line) for line in file]
        last = [entry for entry in entries if "loss" in entry][-1]
        validation = [entry for entry in entries if "validation_loss" in entry][-1]
        expected = [last["loss"], validation["validation_loss"], validation["bleu"], last["learning_rate"],
                    last["gradient_norm"], last["tokens_per_second"]]
        self.assertEqual(self.numbers(".plots figcaption data"), expected)
        curve = self.browser.find(".plots figure path.curve").attribute("d")
        self.assertEqual(curve.count("L") + curve.count("M"), sum("loss" in entry for entry in entries))

    def test_pointing_at_a_plot_shows_the_numbers_there(self):
        self.browser.find(".plots svg").hover()  # its middle: 120 / 2 updates
        wait_for(lambda: "update 60" in self.browser.texts(".plots figcaption")[0], "the numbers of update 60")


class Runs(PageTest):
    def test_curves_grow_while_a_training_writes(self):
        other = support.context.path("other")
        os.makedirs(other, exist_ok=True)
        log = os.path.join(other, "metrics.jsonl")
        shutil.copy(os.path.join(support.context.model, "metrics.jsonl"), log)
        with Server(support.context.program, support.context.model, other) as server:
            self.browser.open(server.address + "#training")
            wait_for(lambda: self.browser.texts(".run") == ["model", "other"], "two trainings")
            line = {"step": 140, "epoch": 9, "loss": 0.125, "learning_rate": 0.001, "gradient_norm": 0.5,
                    "tokens_per_second": 1000.0, "seconds": 5}
            with open(log, "a", encoding="utf-8") as file:
                file.write(json.dumps(line) + '\n{"step": 160, "lo')  # the second line is not complete
                file.flush()
                wait_for(lambda: 0.125 in self.numbers(".plots figcaption data"), "the new line of the log")
            self.assertIn("other: 0.1250 at update 140", self.browser.texts(".plots figcaption div"))
            self.browser.by_id("run other").click()
            self.assertNotIn(0.125, self.numbers(".plots figcaption data"))
            self.browser.open("about:blank")
