#!/usr/bin/env python3
"""A small site is right; each way to break a link of it is found. Needs no network and no Sphinx."""
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "apps/site"))
import check_links  # noqa: E402

FIRST = """<link rel="stylesheet" href="style.css"><h1 id="top-1">A</h1><a class="x" href="room/second.html#L2">two</a>
<a href="#top-1">one</a> <a href='https://example.org/'>elsewhere</a> <img alt="" src="room/a&amp;b.png">"""
SECOND = '<pre><span id="L1">1\n</span><span id="L2">2\n</span></pre><a href="../index.html">back</a>'
FILES = {"index.html": FIRST, "room/second.html": SECOND, "style.css": "", "room/a&b.png": ""}
BROKEN = {  # what is changed, and what must be found
    "a page that is not there": (("room/second.html#L2", "room/third.html"), "third.html leads nowhere"),
    "a line that the source does not have": (("#L2", "#L3"), "second.html#L3 has no such anchor"),
    "a section that is not there": (('"#top-1"', '"#top-2"'), "#top-2 has no such anchor"),
    "a link in single quotes": (("'https://example.org/'", "'nowhere.html'"), "nowhere.html leads nowhere"),
    "an image that is not there": (("a&amp;b.png", "c.png"), "c.png leads nowhere"),
    "a style that is not there": (("style.css", "other.css"), "other.css leads nowhere"),
    "a style of another machine": (("style.css", "https://example.org/s.css"), "from another machine"),
    "a script of another machine": (("<h1", '<script src="//example.org/s.js"></script><h1'), "from another machine"),
    "a folder, which a file system does not open as a page": (("room/second.html#L2", "room/"), "room/ leads nowhere"),
}


def faults(files):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = pathlib.Path(folder, name)
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
        return check_links.check(folder)


found, counts = faults(FILES)
assert not found, found
assert (counts["pages"], counts["inside"], counts["anchors"], counts["outside"]) == (2, 5, 2, 1), counts
for name, ((old, new), expected) in BROKEN.items():
    assert FIRST.count(old) == 1, name
    found, _ = faults(FILES | {"index.html": FIRST.replace(old, new)})
    assert len(found) == 1 and expected in found[0], (name, found)
print(f"{len(BROKEN)} broken links are found")
