#!/usr/bin/env python3
"""Makes the images of apps/explore/README.md.
    tests/apps/explore/browser/screenshots.py REGARD MODEL_DIR OTHER_MODEL_DIR SOURCE TARGET CAPTION_MODEL_DIR IMAGE
The models are those of the section "Five things to try on the toy" and the model "soft" of
the chapter on images; SOURCE and TARGET are the toy's test set, IMAGE is an image of the test set of the scenes.
Uses pngquant, if it is installed, to make the files smaller."""

import base64
import os
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True

import support
from support import Browser, Keys, wait_for

SENTENCE = ">>fr<< the old farmer bought a red car"
IMAGES = os.path.join(os.path.dirname(__file__), "../../../../apps/explore/images")


def save(browser, name, height, width=1100):
    browser.show(width, dark=False)
    browser.execute_script("document.activeElement.blur()")
    clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
    picture = browser.execute_cdp_cmd("Page.captureScreenshot", {"format": "png", "clip": clip})
    path = os.path.join(IMAGES, name + ".png")
    with open(path, "wb") as file:
        file.write(base64.b64decode(picture["data"]))
    if shutil.which("pngquant"):
        subprocess.run(["pngquant", "--force", "--ext", ".png", "48", path], check=True)
    print(path, os.path.getsize(path))


def wait_until_drawn(browser):
    wait_for(lambda: "drawn after" in browser.by_id("message").text, "the translation")


def show(browser, view):
    browser.find(f'a[href="#{view}"]').click()
    browser.find(f"#view.{view}")


def pictures_of_translation(browser):
    browser.by_id("source").send_keys(SENTENCE + Keys.ENTER)
    wait_until_drawn(browser)
    browser.find("#settings summary").click()
    n_best = browser.by_id("setting n_best")
    n_best.clear()
    n_best.send_keys("3" + Keys.ENTER)
    wait_for(lambda: len(browser.find_all("#n-best tbody tr")) == 3, "three translations")
    browser.find("#settings summary").click()
    browser.by_id("token 5").click()
    save(browser, "translate", 830)
    show(browser, "attention")
    browser.hover(browser.find_all(".lines .queries button")[7])
    save(browser, "attention", 800)
    show(browser, "search")
    save(browser, "search", 740)
    show(browser, "heads")
    browser.by_id("row encoder.layers.0.self_attn").click()
    browser.by_id("without heads")
    save(browser, "heads", 600)


def main():
    if len(sys.argv) != 8:
        sys.exit(__doc__)
    program, model, other, source, target, captions, image = sys.argv[1:]
    os.makedirs(IMAGES, exist_ok=True)
    with Browser() as browser:
        browser.show(1100, dark=False)
        with support.Server(program, model, other, "--source", source, "--target", target) as server:
            browser.get(server.address)
            pictures_of_translation(browser)
            show(browser, "training")
            save(browser, "training", 640)
            browser.get("about:blank")
        with support.Server(program, captions) as server:
            browser.get(server.address + "#captions")
            browser.by_id("source").send_keys(os.path.abspath(image))
            wait_until_drawn(browser)
            browser.execute_script("return document.querySelector('.caption-images canvas').width")
            save(browser, "captions", 560)


if __name__ == "__main__":
    main()
