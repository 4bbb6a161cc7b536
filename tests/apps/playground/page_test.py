#!/usr/bin/env python3
"""Tests the page of the playground in headless Chromium.
    tests/apps/playground/page_test.py [FOLDER] [-k PART_OF_A_NAME]     FOLDER is build/playground unless given
Ends with 77 if the folder, Selenium, Chromium or chromedriver is missing."""

import functools
import http.server
import math
import os
import pathlib
import sys
import tarfile
import tempfile
import threading
import time
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/apps/explore/browser"))
SKIPPED = 77

# Tests kill the worker, and read how long the tasks of the page are.
WATCH = """
  const Worker_ = Worker; window.workers = [];
  window.Worker = class extends Worker_ { constructor(...all) { super(...all); workers.push(this); } };
  window.long_tasks = [];
  new PerformanceObserver((list) => long_tasks.push(...list.getEntries().map(({duration}) => duration))).observe({entryTypes: ["longtask"]});
"""
SMALL = "?d_model=16&layers=1&heads=2&length=4"  # a model that learns while a test waits


class Silent(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


class PlaygroundTest(unittest.TestCase):
    """Each test begins with the page just opened, and ends without a message in the console."""

    def setUp(self):
        browser.get("about:blank")
        browser.complaints()
        browser.show(1280, dark=False, height=800)
        self.open(SMALL)

    def tearDown(self):
        self.assertEqual(browser.complaints(), [])

    def open(self, link):
        browser.get(address + link)
        wait_for(lambda: "Starting" not in self.message() and self.message() != "working …", "an answer of the engine")

    def message(self):
        return browser.texts("#message")[0]

    def text(self, identity):
        return browser.texts(f'[id="{identity}"]')[0]

    def press(self, identity):
        browser.by_id(identity).click()

    def numbers(self, selector):
        return browser.execute_script("return [...document.querySelectorAll(arguments[0])].map((one) => Number(one.value))", selector)

    def set(self, name, value):
        """Types a number and leaves the control, or chooses the entry of a list with this value."""
        browser.execute_script("const control = document.getElementById('set ' + arguments[0]); control.value = arguments[1]; "
                               "control.dispatchEvent(new Event('change'))", name, value)
        wait_for(lambda: self.message() != "working …", "an answer of the engine")

    def step(self):
        return int(self.text("now step").replace(",", ""))

    def one_step(self):
        """The loss of one more step."""
        before = self.step()
        self.press("one step")
        wait_for(lambda: self.step() == before + 1, "one step")
        return self.text("now loss")

    def train_to(self, step):
        self.press("train")
        wait_for(lambda: self.step() >= step, f"step {step}", seconds=60)
        self.press("train")
        wait_for(lambda: self.text("train") == "Train", "a pause")
        time.sleep(0.5)  # events that are on their way

    def pixels(self):
        return browser.execute_script("return [...document.querySelectorAll('#maps canvas')].map((one) => one.toDataURL())")

    def key_in_map(self, keys):
        browser.execute_script("document.querySelector('.weights-map').focus()")
        browser.switch_to.active_element.send_keys(keys)

    def test_train_and_pause(self):
        self.train_to(20)
        paused = self.step()
        time.sleep(0.5)
        self.assertEqual(self.step(), paused)
        self.assertIn("step", self.text("moment label"))

    def test_same_seed_same_losses(self):
        first = [self.one_step() for _ in range(3)]
        self.press("reset")
        wait_for(lambda: self.step() == 0, "step 0")
        self.assertEqual([self.one_step() for _ in range(3)], first)
        self.set("seed", "2")
        self.assertNotEqual([self.one_step() for _ in range(3)], first)

    def test_past(self):
        self.train_to(40)
        now = self.pixels()
        slider = browser.by_id("moment")
        slider.send_keys(Keys.HOME)
        self.assertEqual(self.text("moment label"), "back at step 0")
        self.assertNotEqual(self.pixels(), now)
        slider.send_keys(Keys.END)
        self.assertIn("now", self.text("moment label"))
        self.assertEqual(self.pixels(), now)

    def test_inside_a_weight(self):
        self.train_to(100)  # a model that has hardly learnt writes one token, and the map has one row
        self.key_in_map(Keys.ARROW_DOWN + Keys.ARROW_RIGHT)
        wait_for(lambda: "p(1, 1)" in self.text("inside"), "the weight of query 1 and key 1")
        products = self.numbers("#products tr:nth-child(3) data")
        q, k = self.numbers("#products tr:nth-child(1) data"), self.numbers("#products tr:nth-child(2) data")
        for got, a, b in zip(products, q, k, strict=True):
            self.assertAlmostEqual(got, a * b, places=4)
        scores, weights = self.numbers("#row tr:not(.sum) td:nth-child(2) data"), self.numbers("#row tr:not(.sum) td:nth-child(4) data")
        self.assertAlmostEqual(scores[1], sum(products) / math.sqrt(len(q)), places=3)
        total = sum(math.exp(score) for score in scores)
        for score, weight in zip(scores, weights, strict=True):
            self.assertAlmostEqual(weight, math.exp(score) / total, places=4)
        output = self.numbers("#row .sum data")
        for c, got in enumerate(output):
            values = self.numbers(f"#row tr:not(.sum) td:nth-child({5 + c}) data")
            self.assertAlmostEqual(got, sum(p * v for p, v in zip(weights, values, strict=True)), places=3)
        drawn = browser.texts(".weights-map rect.chosen title")[0]
        self.assertAlmostEqual(float(drawn.split(": ")[-1]), weights[1], places=3)

    def test_factor_of_the_scores(self):
        self.press("set scale_scores")
        wait_for(lambda: self.message() != "working …", "a model without the factor")
        self.key_in_map(Keys.ARROW_DOWN)
        wait_for(lambda: "1/√d_k is off" in self.text("inside"), "the equation without the factor")
        self.assertAlmostEqual(self.numbers("#row tr:not(.sum) td:nth-child(2) data")[0], sum(self.numbers("#products tr:nth-child(3) data")), places=3)

    def test_lines_of_the_reference(self):
        lines = (ROOT / "autograd/reference/attention.cpp").read_text().split("\n")
        self.key_in_map(Keys.ARROW_DOWN)
        wait_for(lambda: "attention.cpp, line" in self.text("inside"), "the name of the file")
        named = [line for line in browser.texts("#inside p.faint") if "attention.cpp" in line]
        for text, code in zip(named, ("head.q(t, c) * head.k(s, c)", "std::exp(score[s] - largest)", "out(t, c) +="), strict=True):
            first, *last = [int(number) for number in text.split("attention.cpp, ")[1].replace("lines", "").replace("line", "").split(" to ")]
            self.assertIn(code, "\n".join(lines[first - 1:(last or [first])[0]]))

    def test_inside_a_token(self):
        browser.find_all('[id="test source"] button')[1].click()
        wait_for(lambda: "position 1" in self.text("inside"), "the vector of a token")
        rows = [self.numbers(f"#vector tbody tr:nth-child({row}) data") for row in (1, 2, 3)]
        for embedding, position, together in zip(*rows, strict=True):
            self.assertAlmostEqual(embedding + position, together, places=4)
        self.assertAlmostEqual(rows[1][0], math.sin(1), places=4)
        self.assertIn("D5", self.text("inside"))

    def test_heads(self):
        before = self.pixels()
        self.press("switch head")
        wait_for(lambda: browser.find_all("#maps .map.off"), "a head that is off")
        self.assertEqual(browser.by_id("switch head").text, "Switch this head on")
        self.press("switch head")
        wait_for(lambda: not browser.find_all("#maps .map.off"), "a head that is on")
        wait_for(lambda: self.pixels() == before, "the same maps as before")

    def test_settings(self):
        self.set("model", "no_attention")
        self.assertIn("no attention", self.text("maps"))
        self.assertEqual(browser.find_all('[id="set heads"]'), [])
        self.set("model", "recurrent")
        wait_for(lambda: len(browser.find_all("#maps canvas")) == 1, "one map")
        for task in ("copy", "sort", "dates", "sentences"):
            self.set("task", task)
            self.assertEqual(self.message(), "")
            self.one_step()

    def test_each_control_has_an_explanation(self):
        self.assertGreater(len(browser.find_all("#choose label")), 8)
        self.assertEqual(browser.find_all("#choose label:not([aria-description]), #bar button:not([aria-description])"), [])

    def test_own_pairs(self):
        self.set("task", "own")
        self.one_step()
        for pairs, word in (("no tab here", ""), ("a " * 5000 + "\tb", ""), ("", "")):
            browser.execute_script("document.getElementById('pairs').value = arguments[0]", pairs)
            self.press("use pairs")
            wait_for(lambda: self.message() not in ("", "working …"), "a sentence about the pairs")
            self.assertRegex(self.message(), r"^[A-Z].*\.$")
            self.assertFalse(browser.by_id("train").is_enabled())

    def test_refused_settings(self):
        for name, wrong, right in (("d_model", "7", "16"), ("learning_rate", "", "0.0015"), ("layers", "-1", "1")):
            self.set(name, wrong)
            wait_for(lambda: self.message() != "", "a sentence about the setting")
            self.set(name, right)
            wait_for(lambda: self.message() == "", "an accepted setting")
            self.one_step()

    def test_link(self):
        self.set("seed", "7")
        self.set("task", "sort")
        link, losses = browser.current_url, [self.one_step() for _ in range(3)]
        self.assertIn("seed=7", link)
        browser.get("about:blank")
        self.open(link.split("/", 3)[3])
        self.assertEqual([self.one_step() for _ in range(3)], losses)

    def test_wrong_link(self):
        self.open("?d_model=wide&task=fly&colour=red")
        for part in ("d_model=wide", "task=fly", "“colour”"):
            self.assertIn(part, self.message())
        self.one_step()

    def test_sentence(self):
        browser.find('a[href="#translate"]').click()
        source = browser.by_id("source")
        source.clear()
        source.send_keys("a b c" + Keys.ENTER)
        wait_for(lambda: "drawn after" in self.message(), "a translation")
        self.assertTrue(browser.find_all(".rival"))
        browser.find('a[href="#search"]').click()
        self.assertTrue(browser.find(".tree svg"))
        browser.find('a[href="#attention"]').click()
        browser.by_id("weights map")
        self.key_in_map(Keys.ARROW_RIGHT)
        wait_for(lambda: "p(0, 1)" in self.text("inside"), "the weight of query 0 and key 1")
        self.assertIn("b", self.text("inside"))

    def test_tour(self):
        self.press("tour open")
        titles = []
        for at in range(7):
            titles.append(self.text("tour title"))
            self.press("tour do")
            wait_for(lambda: self.text("train") == "Pause" and self.step() > 0, f"the training of step {at + 1}")
            if browser.by_id("tour next").is_enabled():
                self.press("tour next")
        self.assertEqual([title[:6] for title in titles], [f"{at} of 7" for at in range(1, 8)])
        wait_for(lambda: "p(0, 9)" in self.text("inside"), "the equation of the last step")
        self.press("tour close")
        self.assertFalse(browser.by_id("tour").is_displayed())
        self.assertEqual(browser.switch_to.active_element.get_attribute("id"), "tour open")

    def test_files(self):
        self.one_step()
        with tempfile.TemporaryDirectory() as directory:
            browser.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": directory})
            self.press("save model")
            path = os.path.join(directory, "model.tar")
            wait_for(lambda: os.path.exists(path) and os.path.getsize(path) > 0, "model.tar")
            with tarfile.open(path) as archive:
                self.assertIn("model/config.json", archive.getnames())
                self.assertTrue(all(one.isfile() and one.size > 0 for one in archive))
            self.press("save picture")
            path = os.path.join(directory, "step-1.png")
            wait_for(lambda: os.path.exists(path) and os.path.getsize(path) > 1000, "a picture")

    def test_worker_dies(self):
        self.one_step()
        browser.execute_script("workers.at(-1).terminate(); workers.at(-1).dispatchEvent(new ErrorEvent('error', {message: 'killed'}))")
        wait_for(lambda: "killed" in self.message() and "started again" in self.message(), "a sentence about the new worker")
        self.assertEqual(self.step(), 0)
        self.one_step()

    def test_keyboard(self):
        for _ in range(60):
            browser.switch_to.active_element.send_keys(Keys.TAB)
            if browser.switch_to.active_element.get_attribute("id") == "train":
                break
        browser.switch_to.active_element.send_keys(Keys.ENTER)
        wait_for(lambda: self.step() > 2, "a training")
        browser.switch_to.active_element.send_keys(Keys.SPACE)
        wait_for(lambda: self.text("train") == "Train", "a pause")
        reached = set()
        for _ in range(80):
            browser.switch_to.active_element.send_keys(Keys.TAB)
            reached.add(browser.switch_to.active_element.get_attribute("id") or browser.switch_to.active_element.get_attribute("class"))
        self.assertLessEqual({"one step", "reset", "moment", "tour open", "scroll weights-map", "switch head"}, reached)

    def test_narrow_and_dark(self):
        browser.show(390, dark=True, height=800)
        self.press("tour open")
        browser.find_all('[id="test source"] button')[1].click()
        for view in ("translate", "attention", "heads", "search", "training"):
            browser.find(f'a[href="#{view}"]').click()
            browser.find(f"#view.{view}")
            time.sleep(0.2)
            self.assertLessEqual(browser.execute_script("return document.documentElement.scrollWidth"), 390, view)
        self.assertEqual(browser.execute_script("return getComputedStyle(document.body).backgroundColor"), "rgb(20, 23, 27)")

    def test_nothing_from_elsewhere_and_no_long_task(self):
        self.open("")
        browser.execute_script("long_tasks.length = 0")
        self.key_in_map(Keys.ARROW_DOWN)
        self.train_to(30)
        names = browser.execute_script("return performance.getEntriesByType('resource').map(({name}) => name)")
        self.assertTrue(names)
        self.assertEqual([name for name in names if not name.startswith(address)], [])
        tasks = browser.execute_script("return long_tasks")
        paint = browser.execute_script("return performance.getEntriesByName('first-contentful-paint')[0].startTime")
        print(f"first paint {paint:.0f} ms, tasks over 50 ms: {tasks}")
        if os.getloadavg()[0] <= os.cpu_count():  # otherwise the work of others makes tasks longer
            self.assertEqual(tasks, [])


def main():
    global Keys, wait_for, browser, address
    folder = sys.argv.pop(1) if len(sys.argv) > 1 and not sys.argv[1].startswith("-") else str(ROOT / "build/playground")
    try:
        import support
    except ModuleNotFoundError as error:
        print(f"skipped: {error}; third_party/install.sh --dev installs python3-selenium")
        sys.exit(SKIPPED)
    if support.find_browser() is None or not os.path.exists(os.path.join(folder, "index.html")):
        print(f"skipped: Chromium, chromedriver or {folder}/index.html is missing; apps/playground/build.sh makes the folder")
        sys.exit(SKIPPED)
    Keys, wait_for = support.Keys, support.wait_for
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Silent, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}/"
    with support.Browser() as browser:
        browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": WATCH})
        unittest.main(verbosity=2)


if __name__ == "__main__":
    main()
