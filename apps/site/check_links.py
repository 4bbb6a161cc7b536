#!/usr/bin/env python3
"""Follows every link of a static site, without network: to files, to anchors in them, to images, scripts and styles.

  check_links.py DIR      prints each dead link; also each request that a page would make to another machine when it is
                          read. Links to other sites, on which one has to click, are counted, not followed."""
import collections
import html
import os
import pathlib
import re
import sys
import urllib.parse

LINK = re.compile(r"""<(a|area|link|img|script|iframe|source|video|object)\b[^>]*?\s(?:href|src|data)=(["'])(.*?)\2""")
ANCHOR = re.compile(r"""<[^>]*?\s(?:id|name)=(["'])(.*?)\1""")


class Page:
    """The anchors of a page, its links, and what it loads when it is read."""

    def __init__(self, text):
        self.anchors = {"", "top", *(html.unescape(name) for _, name in ANCHOR.findall(text))}
        found = [(tag, html.unescape(link)) for tag, _, link in LINK.findall(text)]
        self.links = [link for tag, link in found if tag in ("a", "area")]
        self.loads = [link for tag, link in found if tag not in ("a", "area")]


def check(folder):
    """The dead links, and how many links lead inside the site, of these to anchors, and outside."""
    pages = {str(path.relative_to(folder)): Page(path.read_text()) for path in pathlib.Path(folder).rglob("*.html")}
    faults, counts = [], collections.Counter(pages=len(pages))
    for name, page in sorted(pages.items()):
        for link in page.links + page.loads:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme in ("data", "mailto"):
                continue
            if parts.scheme or parts.netloc:
                counts["outside"] += 1
                if link in page.loads:
                    faults.append(f"{name}: loads {link} from another machine")
                continue
            target = os.path.normpath(os.path.join(os.path.dirname(name), urllib.parse.unquote(parts.path))) if parts.path else name
            counts["inside"] += 1
            counts["anchors"] += bool(parts.fragment)
            if not pathlib.Path(folder, target).is_file():
                faults.append(f"{name}: {link} leads nowhere")
            elif parts.fragment and (target not in pages or urllib.parse.unquote(parts.fragment) not in pages[target].anchors):
                faults.append(f"{name}: {link} has no such anchor")
    return faults, counts


if __name__ == "__main__":
    faults, counts = check(sys.argv[1])
    print("\n".join(faults), end="\n" * bool(faults))
    print(f"{counts['pages']} pages, {counts['inside']} links inside ({counts['anchors']} to an anchor), "
          f"{counts['outside']} to other sites, {len(faults)} dead")
    sys.exit(bool(faults) or not counts["inside"])
