"""The view Search."""

import support
from support import Keys, PageTest

SENTENCE = "two two four"


class Search(PageTest):
    def setUp(self):
        super().setUp()
        self.translate(SENTENCE)
        self.open_view("search")

    def tree(self):
        return support.context.server.ask("api/translate", {"source": SENTENCE})["search_tree"]["steps"]

    def test_the_tree_has_every_hypothesis_up_to_the_chosen_step(self):
        steps = self.tree()
        sizes = [len(step["hypotheses"]) for step in steps]
        self.assertEqual(len(self.browser.find_all(".tree g.node")), sum(sizes) + 1)
        self.browser.by_id("step").send_keys(Keys.HOME + Keys.ARROW_RIGHT)  # the second step
        self.assertIn(f"Step 2 of {len(steps)}", self.browser.find(".step-line").text)
        self.assertEqual(len(self.browser.find_all(".tree g.node")), sum(sizes[:2]) + 1)
        for state in ("alive", "pruned", "ended"):
            count = sum(one["state"] == state for step in steps[:2] for one in step["hypotheses"])
            roots = 1 if state == "alive" else 0
            self.assertEqual(len(self.browser.find_all(f".tree g.{state}")), count + roots)

    def test_the_best_path_is_the_translation(self):
        texts = self.browser.texts(".tree g.best text")
        self.assertEqual(texts, ["zwei", "zwei", "vier", "</s>"])

    def test_the_table_has_the_scores_under_both_penalties(self):
        last = self.tree()[-1]["hypotheses"]
        self.assertEqual(self.browser.texts("#hypotheses td:nth-child(2)"), [one["state"] for one in last])
        for column, name in ((4, "power"), (5, "wu")):
            for got, one in zip(self.numbers(f"#hypotheses td:nth-child({column}) data"), last):
                self.assertAlmostEqual(got, one["score"][name], delta=1e-9)
        self.assertEqual(len(self.numbers("#hypotheses td:nth-child(4) data")), len(last))
