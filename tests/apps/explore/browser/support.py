"""A small model, a server of the page, and the base class of the tests."""

import contextlib
import json
import os
import re
import select
import shutil
import subprocess
import tempfile
import time
import unittest
import urllib.request

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

WORDS = {"one": "eins", "two": "zwei", "three": "drei", "four": "vier"}
CONFIG = {
    "model": {"preset": "toy", "d_model": 32, "heads": 2, "d_ff": 32, "encoder_layers": 2, "decoder_layers": 2,
              "dropout": 0},
    "training": {"steps": 120, "batch_tokens": 1000, "schedule": "inverse_sqrt", "learning_rate": 0.01,
                 "warmup_steps": 30, "log_every": 20},
    "validation": {"every_steps": 40},
}


def find_browser():
    """Returns the paths of the browser and of its driver, or None if one is not installed."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    return (browser, driver) if browser and driver else None


def wait_for(condition, what, seconds=20):
    """Waits until condition() is true and returns its value. Fails with the name of the thing that did not come."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.02)
    raise AssertionError(f"this did not come in {seconds} seconds: {what}")


class Browser(webdriver.Chrome):
    """Headless Chromium. Use it in a `with` statement, so that its processes end."""

    def __init__(self):
        browser, driver = find_browser()
        options = webdriver.ChromeOptions()
        options.binary_location = browser
        for argument in ("--headless=new", "--disable-gpu", "--disable-dev-shm-usage"):
            options.add_argument(argument)
        if os.geteuid() == 0:
            options.add_argument("--no-sandbox")  # Chromium's sandbox does not run as root
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        super().__init__(service=Service(driver), options=options)

    def find(self, selector):
        """Returns the first element of a CSS selector. Waits until there is one."""
        return wait_for(lambda: self.find_all(selector), f"an element {selector}")[0]

    def find_all(self, selector):
        return self.find_elements(By.CSS_SELECTOR, selector)

    def by_id(self, identity):
        return self.find(f'[id="{identity}"]')

    def hover(self, element):
        ActionChains(self, duration=0).move_to_element(element).perform()

    def texts(self, selector):
        """The texts of all elements of a selector, also of those that are scrolled out of view."""
        return self.execute_script("return [...document.querySelectorAll(arguments[0])].map((one) => one.textContent)",
                                   selector)

    def complaints(self):
        """What the console has said since the last call: errors of scripts, and what the security policy refused. Hints
        about the speed of drawing do not count, because the tests cause them by reading pixels."""
        return [entry["message"] for entry in self.get_log("browser")
                if entry["level"] in ("SEVERE", "WARNING") and entry["source"] != "rendering"]

    def downloaded(self, click, directory):
        """The path of the file that a click saves. The directory should be empty."""
        self.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": directory})
        click()
        # The name is there before the contents are.
        names = wait_for(lambda: [one for one in os.listdir(directory)
                                  if one.endswith(".svg") and os.path.getsize(os.path.join(directory, one)) > 0],
                         "a saved image")
        return os.path.join(directory, names[0])

    def show(self, width, dark, height=1000):
        """Sets the size of the window and the colour scheme."""
        self.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                             {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
        self.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": [
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]})


class Server:
    """`regard explore ARGUMENTS` on a free port. Ends at the end of a `with` statement."""

    def __init__(self, program, *arguments):
        self.command = [program, "explore", *arguments, "--port", "0"]

    def __enter__(self):
        self.process = subprocess.Popen(self.command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        said, end = "", time.monotonic() + 30
        while (link := re.search(r"http://127\.0\.0\.1:\d+/\?token=\w+\n", said)) is None:
            ready, _, _ = select.select([self.process.stdout], [], [], max(0, end - time.monotonic()))
            text = os.read(self.process.stdout.fileno(), 4096).decode() if ready else ""
            if text == "":
                self.process.kill()
                raise AssertionError(f"regard explore printed no link: {said}")
            said += text
        self.address = link.group().strip()
        return self

    def ask(self, path, request):
        """The reply to a request of the page, such as "api/translate"."""
        request = urllib.request.Request(self.address.replace("?", path + "?"), json.dumps(request).encode(),
                                         {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=20) as reply:
            return json.load(reply)

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(timeout=20)
        self.process.stdout.close()


class Context:
    """Everything that the tests share. It is made once, because a training and a browser take a second each."""

    def __init__(self, program):
        self.program = program
        self.directory = tempfile.TemporaryDirectory()
        self.model = self.path("model")

    def __enter__(self):
        with contextlib.ExitStack() as stack:  # ends what has begun if a later step fails
            stack.callback(self.directory.cleanup)
            self.train()
            self.server = stack.enter_context(Server(self.program, self.model, "--source", self.source, "--target",
                                                     self.target))
            self.browser = stack.enter_context(Browser())
            self.stack = stack.pop_all()
        return self

    def __exit__(self, *_):
        self.stack.close()

    def train(self):
        sentences = [[a, b, c] for a in WORDS for b in WORDS for c in WORDS] + [[a, b] for a in WORDS for b in WORDS]
        self.source, self.target = self.path("source"), self.path("target")
        for path, words in ((self.source, sentences), (self.target, [[WORDS[w] for w in s] for s in sentences])):
            with open(path, "w", encoding="utf-8") as file:
                file.writelines(" ".join(line) + "\n" for line in words)
        data = {f"{part}{side}": self.path(side) for part in ("", "validation_") for side in ("source", "target")}
        with open(self.path("config.json"), "w", encoding="utf-8") as file:
            json.dump({"data": data, **CONFIG}, file)
        self.run("train", self.path("config.json"), "--out", self.model)

    @contextlib.contextmanager
    def training(self, model, steps):
        """A training in the background that logs every few updates. It ends at the end of a `with` statement."""
        settings = [f"training.steps={steps}", "training.log_every=5", "validation.every_steps=1000"]
        process = subprocess.Popen([self.program, "train", self.path("config.json"), "--out", model,
                                    *(word for setting in settings for word in ("--set", setting))],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            log = os.path.join(model, "metrics.jsonl")
            wait_for(lambda: os.path.exists(log) and os.path.getsize(log) > 0, "the first line of a log")
            yield process
        finally:
            process.terminate()
            process.wait()

    def path(self, name):
        return os.path.join(self.directory.name, name)

    def run(self, *arguments, text=""):
        """Runs `regard ARGUMENTS` and returns its lines."""
        done = subprocess.run([self.program, *arguments], input=text, text=True, capture_output=True, check=False)
        if done.returncode != 0:
            raise AssertionError(f"regard {' '.join(arguments)} ended with {done.returncode}: {done.stderr}")
        return done.stdout.splitlines()


context = None  # set by run.py


class PageTest(unittest.TestCase):
    """Each test begins with the page just opened, and ends without an error in the console of the browser."""

    expected_complaints = 0

    def setUp(self):
        self.browser = context.browser
        self.browser.get("about:blank")
        self.browser.complaints()
        self.browser.show(1400, dark=False)
        self.browser.get(context.server.address)

    def tearDown(self):
        complaints = self.browser.complaints()
        self.assertEqual(len(complaints), self.expected_complaints, complaints)

    def translate(self, sentence):
        """Types a sentence with Enter and waits for its translation."""
        source = self.browser.by_id("source")
        source.clear()
        source.send_keys(sentence + Keys.ENTER)
        return self.wait_for_translation(lambda: " ".join(self.source_tokens()) == sentence + " </s>")

    def wait_for_translation(self, condition):
        wait_for(lambda: condition() and "drawn after" in self.browser.by_id("message").text, "the translation")
        return self.translation()

    def translation(self):
        return self.browser.texts("#translation")[0]

    def source_tokens(self):
        return self.browser.texts('[aria-label="Source"] .token')

    def open_view(self, name):
        self.browser.find(f'a[href="#{name}"]').click()
        self.browser.find(f"#view.{name}")

    def numbers(self, selector):
        """The numbers of all elements <data> of a selector, with all their digits."""
        return self.browser.execute_script("return [...document.querySelectorAll(arguments[0])].map((one) => Number(one.value))",
                                selector)
