#!/usr/bin/env python3
"""Pages that show a file of the repository with line numbers, or a folder.

  source_pages.py DIR     writes them into the site DIR, as DIR/source/autograd/tensor.h.html
"""
import functools
import html
import os
import pathlib
import re
import subprocess
import sys

import pygments
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_for_filename
from pygments.lexers.special import TextLexer
from pygments.util import ClassNotFound

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = (pathlib.Path(__file__).parent / "source.html").read_text()


@functools.cache
def files():
    """The files of the repository, without those that git ignores."""
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT,
                            capture_output=True, text=True, check=True).stdout
    return sorted(name for name in listed.split("\0") if name and (ROOT / name).is_file())


def is_text(name):
    return b"\0" not in (ROOT / name).read_bytes()[:4096] and not name.endswith((".png", ".jpg", ".svg"))


@functools.cache
def page_of(name):
    """Where a link to a file or a folder leads. None: to the file itself."""
    if (ROOT / name).is_dir():
        return os.path.normpath(f"source/{name}/index.html")
    if name.endswith((".md", ".ipynb")):
        return os.path.splitext(name)[0] + ".html"
    return f"source/{name}.html" if (ROOT / name).is_file() and is_text(name) else None


def relative(target, page):
    """A link to a page of the site, as another page has to write it."""
    return os.path.relpath(target, os.path.dirname(page) or ".")


def write(out, page, name, body):
    """One page; `name` is the file or folder that it shows."""
    crumbs = [("README.html", "regard"), ("source/index.html", "all files")]
    parts = [part for part in name.split("/") if part != "."]
    crumbs += [(page_of("/".join(parts[:i])), part) for i, part in enumerate(parts, 1)]
    links = " / ".join(f'<a href="{relative(target, page)}">{html.escape(text)}</a>' for target, text in crumbs)
    path = pathlib.Path(out, page)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(PAGE.replace("TITLE", html.escape(name)).replace("UP", relative(".", page)).replace("CRUMBS", links)
                    .replace("BODY", body))


def show_file(out, name):
    page = page_of(name)
    try:  # long lines of numbers need no colours
        lexer = TextLexer if name.endswith((".jsonl", ".tsv")) else type(get_lexer_for_filename(name))
    except ClassNotFound:
        lexer = TextLexer

    def include(match):
        return f'<a href="{relative(page_of(match[1]), page)}">{match[0]}</a>' if (ROOT / match[1]).is_file() else match[0]

    code = pygments.highlight((ROOT / name).read_text(errors="replace"), lexer(stripnl=False), HtmlFormatter(nowrap=True))
    code = re.sub(r"&quot;((?:autograd|nn|transformer|apps|tests)/[\w/]+\.h)&quot;", include, code)
    lines = code.removesuffix("\n").split("\n")
    numbered = (f'<span id="L{i}"><a href="#L{i}">{i:4}</a> {line}\n</span>' for i, line in enumerate(lines, 1))
    write(out, page, name, f'<div class="highlight"><pre>{"".join(numbered)}</pre></div>')


def show_folder(out, folder):
    page = page_of(folder)
    entries = {name[len(folder) + 1:].split("/")[0] if folder != "." else name.split("/")[0]
               for name in files() if folder == "." or name.startswith(folder + "/")}
    rows = []
    for entry in sorted(entries, key=lambda entry: (not (ROOT / folder / entry).is_dir(), entry)):
        target = page_of(os.path.normpath(f"{folder}/{entry}"))
        text = html.escape(entry) + "/" * (ROOT / folder / entry).is_dir()
        rows.append(f'<li><a href="{relative(target, page)}">{text}</a></li>' if target else f"<li>{text}</li>")
    write(out, page, folder, f'<ul>{"".join(rows)}</ul>')


if __name__ == "__main__":
    out = sys.argv[1]
    for name in files():
        if page_of(name) and page_of(name).startswith("source/"):
            show_file(out, name)
    for folder in {str(parent) for name in files() for parent in pathlib.Path(name).parents}:
        show_folder(out, folder)
    pathlib.Path(out, "index.html").write_text(pathlib.Path(out, "README.html").read_text())
