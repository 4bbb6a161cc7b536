"""The view Translate, compared with the commands translate and score."""

import math

import support
from support import Keys, PageTest, wait_for

SENTENCE = "one three two"


class Translate(PageTest):
    def probabilities(self):
        return self.browser.execute_script("return [...document.querySelectorAll('#tokens .token')]"
                                ".map((one) => Number(one.style.getPropertyValue('--shade')))")

    def tokens(self):
        return self.browser.texts("#tokens .token span")

    def test_the_page_begins_with_examples_of_the_corpus(self):
        with open(support.context.source, encoding="utf-8") as file:
            sentences = [line.rstrip("\n") for line in file][:5]
        self.browser.find(".example")
        self.assertEqual(self.browser.texts(".example"), sentences)
        self.browser.find_all(".example")[4].click()
        self.wait_for_translation(lambda: " ".join(self.source_tokens()) == sentences[4] + " </s>")
        self.assertEqual(self.browser.by_id("source").get_property("value"), sentences[4])
        self.assertEqual(self.browser.find_all(".example"), [])

    def test_a_typed_sentence_is_translated_as_by_the_command(self):
        text = self.translate(SENTENCE)
        self.assertEqual([text], support.context.run("translate", support.context.model, text=SENTENCE + "\n"))
        self.assertEqual(text, "eins drei zwei")
        self.assertEqual(self.tokens(), text.split() + ["</s>"])

    def test_the_shades_are_the_probabilities_of_the_tokens(self):
        text = self.translate(SENTENCE)
        for name, content in (("one.source", SENTENCE), ("one.target", text)):
            with open(support.context.path(name), "w", encoding="utf-8") as file:
                file.write(content + "\n")
        line = support.context.run("score", support.context.model, "--source", support.context.path("one.source"),
                                   "--target", support.context.path("one.target"), "--tokens")[0]
        _, whole, _, tokens, _ = line.split("\t")
        expected = [math.exp(float(one)) for one in tokens.split()]
        shown = self.probabilities()
        self.assertEqual(len(shown), len(expected))
        for got, want in zip(shown, expected):
            self.assertAlmostEqual(got, want, delta=1e-4)
        self.assertAlmostEqual(self.numbers('[aria-label="Translation"] data')[0], float(whole), delta=1e-4)

    def test_a_rival_leads_to_another_translation(self):
        self.translate(SENTENCE)
        self.browser.by_id("token 1").click()
        rivals = self.browser.texts("#rivals .rival span:first-child")
        self.assertEqual(rivals[0], "drei")
        self.assertEqual(len(set(rivals)), len(rivals))
        chosen = next(rival for rival in rivals[1:] if rival in support.WORDS.values())
        self.browser.by_id(f"rival {rivals.index(chosen)}").click()
        text = self.wait_for_translation(lambda: self.tokens()[1:2] == [chosen])
        expected = support.context.run("translate", support.context.model, "--prefix", f"eins {chosen}",
                                       text=SENTENCE + "\n")
        self.assertEqual([text], expected)
        self.assertEqual(len(self.browser.find_all("#tokens .given")), 2)
        self.browser.by_id("undo prefix").click()
        self.assertEqual(self.wait_for_translation(lambda: self.tokens()[1:2] == ["drei"]), "eins drei zwei")

    def test_the_n_best_list_is_the_one_of_the_command(self):
        self.translate(SENTENCE)
        self.browser.find("#settings summary").click()
        n_best = self.browser.by_id("setting n_best")
        n_best.clear()
        n_best.send_keys("3" + Keys.ENTER)
        wait_for(lambda: len(self.browser.find_all("#n-best tbody tr")) == 3, "three translations")
        lines = support.context.run("translate", support.context.model, "--n-best", "3", "--scores",
                                    text=SENTENCE + "\n")
        expected = [line.split("\t") for line in lines]
        self.assertEqual(self.browser.texts("#n-best button"), [text for _, _, text in expected])
        scores = self.numbers("#n-best td:nth-child(3) data")
        for got, (_, want, _) in zip(scores, expected):
            self.assertAlmostEqual(got, float(want), delta=1e-4)
        self.browser.by_id("hypothesis 2").click()
        self.assertEqual(self.translation(), expected[2][2])

    def test_blanks_clear_the_result(self):
        self.translate(SENTENCE)
        source = self.browser.by_id("source")
        source.clear()
        source.send_keys("  " + Keys.ENTER)
        wait_for(lambda: self.browser.texts("#translation") == [], "a page without a translation")
        self.assertIn("Type a sentence", self.browser.by_id("view").text)
        self.assertEqual(self.browser.by_id("message").text, "")
        self.assertEqual(self.translate(SENTENCE), "eins drei zwei")

    def test_the_page_says_why_rivals_do_not_sum_to_one(self):
        self.translate(SENTENCE)
        self.browser.by_id("token 1").click()
        self.assertIn("do not sum to 1", self.browser.by_id("rivals").text)
        self.open_view("search")
        self.assertIn("do not sum to 1", self.browser.by_id("view").text)

    def test_html_in_a_sentence_is_text(self):
        source = self.browser.by_id("source")
        source.send_keys("one <img src=x onerror=alert(1)> </script>" + Keys.ENTER)
        self.assertIn("onerror=alert(1)>", self.browser.find(".warning").text)  # words that the model does not know
        self.assertEqual(self.source_tokens(), ["one", "<unk>", "<unk>", "<unk>", "<unk>", "</s>"])
        self.assertEqual(self.browser.find_all("#view img"), [])

    def test_the_keyboard_is_enough(self):
        self.translate(SENTENCE)
        self.browser.by_id("token 0").send_keys(Keys.ENTER)
        self.browser.by_id("rival 0")
        self.assertEqual(self.browser.execute_script("return document.activeElement.id"), "token 0")

    def test_nothing_is_loaded_from_elsewhere(self):
        self.translate(SENTENCE)
        names = self.browser.execute_script("return performance.getEntriesByType('resource').map((entry) => entry.name)")
        self.assertTrue(names)
        for name in names:
            self.assertTrue(name.startswith(support.context.server.address.split("?")[0]), name)


class WithoutToken(PageTest):
    def tearDown(self):
        pass  # the browser logs the status 403, and later perhaps that of an icon

    def test_without_its_token_the_page_does_not_open(self):
        self.browser.get(support.context.server.address.split("?")[0])
        self.assertIn("open the link that regard explore has printed", self.browser.find("body").text)
        self.assertEqual(self.browser.find_all("#source"), [])


class TooLong(PageTest):
    expected_complaints = 1  # the browser logs the status 400

    def test_a_sentence_that_is_too_long_is_refused_in_words(self):
        self.translate(SENTENCE)
        self.browser.execute_script("document.getElementById('source').value = 'one '.repeat(5000)")
        self.browser.by_id("source").send_keys(Keys.ENTER)
        message = wait_for(lambda: self.browser.texts("#message.error"), "an error message")
        self.assertRegex(message[0], "long|token")
        self.assertEqual(self.translation(), "eins drei zwei")  # the last translation stays
