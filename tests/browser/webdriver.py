"""A small client of the WebDriver protocol (https://www.w3.org/TR/webdriver2/) for headless Chromium."""

import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # the key of an element in replies
KEYS = {"enter": "\ue007", "tab": "\ue004", "left": "\ue012", "right": "\ue014", "home": "\ue011", "end": "\ue010"}


def find_browser():
    """Returns the paths of the browser and of its driver, or None if one is not installed."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    return (browser, driver) if browser and driver else None


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def wait_for(condition, what, seconds=20):
    """Waits until condition() is true and returns its value. Fails with the name of the thing that did not come."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.02)
    raise AssertionError(f"this did not come in {seconds} seconds: {what}")


class Element:
    def __init__(self, browser, identity):
        self.browser, self.identity = browser, identity

    def _ask(self, method, path, body=None):
        return self.browser.ask(method, f"/element/{self.identity}{path}", body)

    def click(self):
        self._ask("POST", "/click", {})

    def type(self, text):
        self._ask("POST", "/value", {"text": text})

    def clear(self):
        self._ask("POST", "/clear", {})

    def text(self):
        return self._ask("GET", "/text")

    def attribute(self, name):
        return self._ask("GET", f"/attribute/{name}")

    def property(self, name):
        return self._ask("GET", f"/property/{name}")

    def hover(self):
        move = {"type": "pointerMove", "duration": 0, "origin": {ELEMENT: self.identity}, "x": 0, "y": 0}
        self.browser.ask("POST", "/actions",
                         {"actions": [{"type": "pointer", "id": "mouse", "actions": [move]}]})


class Browser:
    """A browser with one window. Use it in a `with` statement, so that its processes end."""

    def __init__(self, width=1400, height=1000):
        self.size = (width, height)

    def __enter__(self):
        browser, driver = find_browser()
        self.directory = tempfile.TemporaryDirectory()
        port = free_port()
        self.address = f"http://127.0.0.1:{port}"
        self.driver = subprocess.Popen([driver, f"--port={port}"], stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL)
        try:
            wait_for(self._is_ready, "an answer of chromedriver")
            arguments = ["--headless=new", "--disable-gpu", "--disable-dev-shm-usage",
                         f"--user-data-dir={self.directory.name}", "--window-size=%d,%d" % self.size]
            if os.geteuid() == 0:
                arguments.append("--no-sandbox")  # Chromium's sandbox does not run as root
            options = {"binary": browser, "args": arguments}
            capabilities = {"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
            reply = self._http("POST", "/session", {"capabilities": {"alwaysMatch": capabilities}})
            self.session = reply["sessionId"]
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(self, *_):
        try:
            self.ask("DELETE", "")
        finally:
            self._stop()

    def _stop(self):
        self.driver.terminate()
        self.driver.wait()
        self.directory.cleanup()

    def _is_ready(self):
        try:
            return self._http("GET", "/status")["ready"]
        except OSError:
            return False

    def _http(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.address + path, data, {"Content-Type": "application/json"},
                                         method=method)
        try:
            with urllib.request.urlopen(request, timeout=60) as reply:
                return json.load(reply)["value"]
        except urllib.error.HTTPError as error:
            raise AssertionError(json.load(error)["value"]["message"].split("\n")[0]) from None

    def ask(self, method, path, body=None):
        return self._http(method, f"/session/{self.session}{path}", body)

    def open(self, address):
        self.ask("POST", "/url", {"url": address})

    def run(self, script, *arguments):
        """Runs JavaScript and returns what it returns."""
        return self.ask("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def devtools(self, command, **parameters):
        return self.ask("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def find(self, selector):
        """Returns the first element of a CSS selector. Waits until there is one."""
        found = wait_for(lambda: self.find_all(selector), f"an element {selector}")
        return found[0]

    def find_all(self, selector):
        found = self.ask("POST", "/elements", {"using": "css selector", "value": selector})
        return [Element(self, one[ELEMENT]) for one in found]

    def by_id(self, identity):
        return self.find(f'[id="{identity}"]')

    def texts(self, selector):
        """The texts of all elements of a selector, also of those that are scrolled out of view."""
        return self.run("return [...document.querySelectorAll(arguments[0])].map((one) => one.textContent)", selector)

    def complaints(self):
        """What the console has said since the last call: errors of scripts, and what the security policy refused. Hints
        about the speed of drawing do not count, because the tests cause them by reading pixels."""
        log = self.ask("POST", "/se/log", {"type": "browser"})
        return [entry["message"] for entry in log
                if entry["level"] in ("SEVERE", "WARNING") and entry["source"] != "rendering"]

    def show(self, width, dark):
        """Sets the width of the window and the colour scheme."""
        self.devtools("Emulation.setDeviceMetricsOverride", width=width, height=1000, deviceScaleFactor=1,
                      mobile=False)
        scheme = "dark" if dark else "light"
        self.devtools("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
