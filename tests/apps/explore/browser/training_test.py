"""The view Training, while a training writes its log."""

import json
import os

import support
from support import PageTest, Server, wait_for


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
        curve = self.browser.find(".plots figure .curve path").get_attribute("d")
        self.assertEqual(curve.count("L") + curve.count("M"), sum("loss" in entry for entry in entries))

    def test_pointing_at_a_plot_shows_the_numbers_there(self):
        self.browser.hover(self.browser.find(".plots .area"))  # its middle: 120 / 2 updates
        wait_for(lambda: "update 60" in self.browser.texts(".plots figcaption")[0], "the numbers of update 60")


class Runs(PageTest):
    def test_curves_grow_while_a_training_writes(self):
        other = support.context.path("other")
        with support.context.training(other, steps=100_000) as training, \
                Server(support.context.program, support.context.model, other) as server:
            self.browser.get(server.address + "#training")
            wait_for(lambda: self.browser.texts(".run") == ["model", "other"], "two trainings")
            wait_for(lambda: self.points("other") > 2, "a curve of the new training")
            before = self.points("other")
            wait_for(lambda: self.points("other") > before, "more points of the curve")
            training.terminate()
            training.wait()
            with open(os.path.join(other, "metrics.jsonl"), encoding="utf-8") as file:
                last = [entry for entry in map(json.loads, file) if "loss" in entry][-1]
            wait_for(lambda: last["loss"] in self.numbers(".plots figcaption data"), "the last line of the log")
            self.assertIn(f"other: {last['loss']:.5g} at update {last['step']}",
                          self.browser.texts(".plots figcaption div"))
            self.browser.by_id("run other").click()
            self.assertNotIn(last["loss"], self.numbers(".plots figcaption data"))
            self.assertEqual(self.points("other"), 0)
            self.browser.get("about:blank")

    def points(self, name):
        """The number of points in the curve of the training loss of a run."""
        return self.browser.execute_script("""
            const i = [...document.querySelectorAll(".run")].findIndex((run) => run.textContent === arguments[0]);
            const curve = document.querySelector(`.plots figure .colour-${i} path`);
            return curve === null ? 0 : curve.getAttribute("d").split(/[ML]/).length - 1;""", name)
