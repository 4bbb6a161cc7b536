#!/usr/bin/env python3
"""Makes the pages that Sphinx reads, in a folder.

  prepare.py FOLDER XML     copies all documents of the repository with their images, and makes pages of the notebooks,
                            of the afternoon, and of the references of C++ (from the folder XML of Doxygen) and Python
"""
import base64
import json
import os
import pathlib
import re
import sys
import tomllib

import reference_cpp
import reference_python
from source_pages import ROOT, files, page_of, relative

SETTINGS = tomllib.loads((pathlib.Path(__file__).parent / "contents.toml").read_text())


def sources_linked(text, document):
    """The text of a document; its links to source files and folders lead to the pages of the site that show them."""

    def rewritten(match):
        target, line = match[1], re.match(r"#(L\d+)", match[2] or "")
        name = os.path.normpath(target[1:] if target[:1] == "/" else os.path.join(os.path.dirname(document), target))
        page = page_of(name) if target and ":" not in target and not name.endswith(".md") else None
        if not page:
            return match[0]
        return f"]({'line' if line else 'shown'}:{relative(page, document)}{'#' + line[1] if line else ''})"

    parts = re.split(r"(^```(?!`).*?^```(?!`))", text, flags=re.M | re.S)
    parts[::2] = [re.sub(r"\]\(([^)#\s]*)(#[^)\s]*)?\)", rewritten, part) for part in parts[::2]]
    return "".join(parts)


def toctree(documents, *options):
    return "\n".join(["```{toctree}", *(f":{option}" for option in options), "", *(f"/{name}" for name in documents), "```", ""])


def afternoon():
    """A page for each row of the afternoon in README.md: its questions, and its files with line numbers."""
    rows = re.findall(r"^\| (\d+) \| (.*) \| (.*) \|$", (ROOT / "README.md").read_text(), re.M)
    pages = {}
    for number, read, questions in rows:
        linked = [link for link in re.findall(r"\]\(([^)]*)\)", read)]
        text = [f"# {number}. {', '.join(pathlib.Path(link).name for link in linked)}", "",
                f"Read {read}. Then you can answer: {questions}", ""]
        for link in linked:
            text += [f"## {link}", "", "```{code-block} cpp", ":linenos:", "", (ROOT / link).read_text() + "```", ""]
        pages[f"afternoon/{number}"] = "\n".join(text).replace("](", "](../")
    first = ("# The code in an afternoon\n\nThirteen steps through the code, from attention to the check that all is right."
             " Each page has a question or two, and the files that answer them.\n\n")
    return {"afternoon/index": first + toctree(pages)} | pages


def notebook(name, folder):
    """A notebook as Markdown: its text, its code and what it printed. Its pictures are written beside it."""
    text, pictures = [], []
    for cell in json.loads((ROOT / name).read_text())["cells"]:
        source = "".join(cell["source"])
        text.append(source if cell["cell_type"] == "markdown" else f"```python\n{source}\n```")
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if "image/png" in data:
                picture = f"{name.removesuffix('.ipynb')}-{len(pictures)}.png"
                pictures.append(write(folder, picture, base64.b64decode(data["image/png"])))
                text.append(f"![what the code above draws]({pathlib.Path(picture).name})")
            else:
                text.append("```text\n" + "".join(output.get("text", data.get("text/plain", ""))).rstrip("\n") + "\n```")
    return "\n\n".join(text), pictures


def write(folder, name, content):
    """Only what has changed is written, so that Sphinx reads only that again."""
    path = pathlib.Path(folder, name)
    content = content.encode() if isinstance(content, str) else content
    if not path.exists() or path.read_bytes() != content:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return path


def main(folder, xml):
    pages = afternoon() | reference_cpp.pages(xml) | reference_python.pages(SETTINGS["python"])
    contents = SETTINGS["contents"]
    named = {document for documents in contents.values() for document in documents}
    documents = {name.removesuffix(".md"): (ROOT / name).read_text() for name in files() if name.endswith(".md")}
    notebooks = {name.removesuffix(".ipynb"): notebook(name, folder) for name in files() if name.endswith(".ipynb")}
    documents |= {name: text for name, (text, _) in notebooks.items()}
    list(contents.values())[-1].extend(sorted(documents.keys() - named - {"README"}))
    pages |= documents
    for title, documents in contents.items():
        there = [document for document in documents if document in pages]
        pages["README"] += "\n\n" + toctree(there, "hidden:", f"caption: {title}")
    written = {picture for _, pictures in notebooks.values() for picture in pictures}
    written |= {write(folder, name + ".md", sources_linked(text, name)) for name, text in pages.items()}
    written |= {write(folder, name, (ROOT / name).read_bytes()) for name in files() if name.endswith((".png", ".jpg", ".svg"))}
    for path in pathlib.Path(folder).rglob("*"):
        if path.is_file() and path not in written:
            path.unlink()  # of a document that is no longer there


if __name__ == "__main__":
    main(*sys.argv[1:])
