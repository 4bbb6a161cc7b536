"""The view Captions, with a small model that reads images."""

import base64
import json

import support
from support import PageTest, Server


CONFIG = {
    "model": {"preset": "xu2015", "d_model": 16, "dropout": 0, "image": {"channels": [4, 8], "strides": [3, 2]}},
    "training": {"steps": 30, "batch_tokens": 200, "schedule": "constant", "learning_rate": 0.03},
    "decoding": {"max_length": 12},
}

# How much darker the canvas of a word is than the image, at the centre of each position.
FACTORS = """
    const [number, rows, columns] = arguments;
    const shown = document.querySelectorAll(".caption-images canvas")[number];
    const image = new Image();
    image.src = "data:image/png;base64," + arguments[3];
    return image.decode().then(() => {
      const plain = document.createElement("canvas");
      [plain.width, plain.height] = [shown.width, shown.height];
      plain.getContext("2d").drawImage(image, 0, 0, plain.width, plain.height);
      const [dark, bright] = [shown, plain].map((canvas) =>
        canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data);
      return Array.from({length: rows * columns}, (_, i) => {
        const x = Math.floor((i % columns + 0.5) * shown.width / columns);
        const y = Math.floor((Math.floor(i / columns) + 0.5) * shown.height / rows);
        const sum = (pixels) => [0, 1, 2].reduce((all, c) => all + pixels[4 * (y * shown.width + x) + c], 0);
        return sum(dark) / sum(bright);
      });
    });"""


class Captions(PageTest):
    @classmethod
    def setUpClass(cls):
        context, scenes, config = support.context, support.context.path("scenes"), support.context.path("captions.json")
        context.run("toy", "scenes", "--out", scenes, "--train", "40", "--validation", "1", "--test", "2")
        with open(config, "w", encoding="utf-8") as file:
            json.dump({"data": {"tsv": scenes + "/train.tsv"}, **CONFIG}, file)
        cls.model, cls.image = context.path("captions"), scenes + "/test/00001.png"
        context.run("train", config, "--out", cls.model)
        cls.server = Server(context.program, cls.model)
        cls.server.__enter__()
        cls.addClassCleanup(cls.server.__exit__)

    def setUp(self):
        super().setUp()
        self.browser.get(self.server.address + "#captions")
        self.browser.by_id("source")
        self.assertEqual(self.browser.find_all(".example"), [])  # images have none
        self.browser.by_id("source").send_keys(self.image)
        self.wait_for_translation(lambda: self.browser.find_all(".caption-images canvas"))

    def test_the_caption_is_the_one_of_the_command(self):
        self.assertEqual([self.translation()], support.context.run("translate", self.model, self.image))
        words = self.browser.texts(".caption-images figcaption")
        self.assertEqual([word.split(" ")[0] for word in words][:-1], self.translation().split())
        self.open_view("translate")
        self.assertTrue(self.browser.find_all("#view img"))

    def test_each_word_is_bright_where_its_weights_are_large(self):
        path = support.context.path("captions.jsonl")
        support.context.run("translate", self.model, self.image, "--attention-json", path)
        with open(path, encoding="utf-8") as file:
            attention = json.loads(file.readline())["attention"][0]
        image = self.server.ask("api/translate", {"image": self.base64_image()})["image"]
        size = attention["keys"]
        self.assertEqual(size, image["rows"] * image["columns"])
        for word in range(3):
            weights = attention["heads"][0]["weights"][word * size:(word + 1) * size]
            expected = [1 - 215 / 255 * (1 - weight / max(weights)) for weight in weights]
            self.assertLess(min(expected), 0.7)  # some places are dark
            shown = self.browser.execute_script(FACTORS, word, image["rows"], image["columns"], image["png"])
            for got, want in zip(shown, expected):
                self.assertAlmostEqual(got, want, delta=0.15)  # between the centres, weights are interpolated

    def test_positions_of_the_image_are_drawn(self):
        image = self.server.ask("api/translate", {"image": self.base64_image()})["image"]
        self.open_view("attention")
        places = [(column, row) for row in range(image["rows"]) for column in range(image["columns"])]
        cells = ("return [...document.querySelectorAll(arguments[0])].map((one) => one.querySelector('rect[x]'))"
                 ".map((cell) => [Number(cell.getAttribute('x')), Number(cell.getAttribute('y'))])")
        for selector in (".lines .keys svg", ".heat-map svg svg"):
            self.assertEqual([tuple(one) for one in self.browser.execute_script(cells, selector)], places, selector)
        self.assertEqual(self.browser.texts(".lines .keys .label")[1], "row 1, column 2")  # for screen readers
        self.browser.hover(self.browser.find_all(".lines .queries button")[0])
        self.assertRegex(self.browser.find(".attends").text, r"attends to (row \d+, column \d+ \(|$)")

    def base64_image(self):
        with open(self.image, "rb") as file:
            return base64.b64encode(file.read()).decode()
