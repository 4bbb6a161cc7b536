"""The Python reference, from signatures and docstrings: those of Python's files, and those that stand in the C++ sources
of the package. Nothing is built or imported."""
import ast
import collections
import re

from source_pages import ROOT, files

CALL = re.compile(r'\b(?:m\.def\(|\w+\(\s*to,)\s*"(?P<name>[a-z]\w*)"')
STRING = r'R"\((?P<raw>.*?)\)"|"(?P<plain>(?:\\.|[^"\\])*)"'
ARGUMENT = re.compile(r'(?:"(\w+)"_a|nb::arg\("(\w+)"\))(?:\.none\(\))?(?:\s*=\s*([\w:.()-]+))?|(nb::kw_only\(\))')


def block(directive, signature, text, name, line, inner=""):
    fence = "`" * (6 if directive == "class" else 5)
    return f"{fence}{{py:{directive}}} {signature}\n\n{markdown(text)}\n\n[source](/{name}#L{line})\n\n{inner}{fence}\n\n"


def markdown(docstring):
    """A docstring as Markdown: examples and tables as they are, the rest as paragraphs."""
    parts = []
    for part in re.split(r"\n\s*\n", docstring.strip()):
        if ">>>" in part:
            parts.append(f"```pycon\n{part}\n```")
        elif re.search(r"^ |\S  +\S", part, re.M):
            parts.append(f"```text\n{part}\n```")
        else:
            parts.append(re.sub(r"([*_\[\]<$|#])(?![^`]*`(?:[^`]*`[^`]*`)*[^`]*$)", r"\\\1", part))
    return "\n\n".join(parts)


def end_of_call(text, begin):
    """Where the parenthesis that opens at `begin` closes."""
    depth = 0
    for token in re.finditer(STRING + r"|//[^\n]*|'[^']'|(?P<open>\()|(?P<close>\))", text[begin:], re.S):
        depth += bool(token["open"]) - bool(token["close"])
        if depth == 0:
            return begin + token.end()
    return len(text)


def from_cpp(name):
    """(function, signature, docstring, line) of each operation that a C++ source of the package makes."""
    text = (ROOT / name).read_text()
    for match in CALL.finditer(text):
        call = text[match.start():end_of_call(text, text.index("(", match.start()))]
        strings = list(re.finditer(STRING, call, re.S))
        last = strings[-1] if strings else None
        if not last or last.start("plain") == match.start("name") - match.start():
            continue  # no docstring
        pieces = [last]
        for string in reversed(strings[1:-1]):  # "one piece" "and the next"
            if call[string.end():pieces[0].start()].strip():
                break
            pieces.insert(0, string)
        if call[pieces[-1].end():].strip() != ")":
            continue
        docstring = "".join(piece["raw"] or piece["plain"].replace("\\n", "\n").replace('\\"', '"') for piece in pieces)
        arguments = []
        for one, other, default, keywords in ARGUMENT.findall(call):
            value = {"nb::none()": "None", "nb::tuple()": "()", "true": "True", "false": "False"}.get(default, default)
            arguments.append("*" if keywords else (one or other) + f"={value}" * bool(value))
        if len(set(arguments)) == len(arguments):
            yield match["name"], f"{match['name']}({', '.join(arguments)})", docstring, text.count("\n", 0, match.start()) + 1


def from_python(name, public):
    """A block for each function and class of a file whose name is public."""
    def is_public(node):
        return isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not node.name.startswith("_") and ast.get_docstring(node)

    def signature(node):
        if isinstance(node, ast.ClassDef):
            made = next((part for part in node.body if isinstance(part, ast.FunctionDef) and part.name == "__init__"), None)
            return node.name + (re.sub(r"^\(self(, )?", "(", signature(made).removeprefix("__init__")) if made else "()")
        return f"{node.name}({ast.unparse(node.args)})"

    for node in ast.parse((ROOT / name).read_text()).body:
        if not is_public(node) or not public(node.name):
            continue
        kind, inner = "class" if isinstance(node, ast.ClassDef) else "function", ""
        for method in filter(is_public, node.body if kind == "class" else []):
            plain = re.sub(r"\((self|cls)(: \w+)?(, )?", "(", signature(method))
            inner += block("method", plain, ast.get_docstring(method), name, method.lineno)
        yield block(kind, signature(node), ast.get_docstring(node), name, node.lineno, inner)


def names_in(path):
    return set(re.findall(r"\w+", path.read_text()))


def module_of(path, home):
    """The module under whose name a reader finds what a file has, and whether all its names are public: those of a file
    whose package exports the file as a module. Otherwise they are the names that the package exports."""
    init = path.parent / "__init__.py"
    module = ".".join(path.relative_to(ROOT / home).with_suffix("").parts).removesuffix(".__init__")
    if path == init or re.search(rf"^from \. import .*\b{path.stem}\b", init.read_text(), re.M):
        return module.replace("regard.methods", "regard.Tensor"), lambda name: True
    return module.rpartition(".")[0], names_in(init).__contains__


def pages(home):
    """The pages of the package that lies in the folder `home`; none if it is not there."""
    paths = [ROOT / name for name in files() if name.startswith(home + "/")]
    sections, seen = collections.defaultdict(str), set()
    for path in (path for path in paths if path.suffix == ".py" and "regard" in path.relative_to(ROOT / home).parts):
        module, public = module_of(path, home)
        name = str(path.relative_to(ROOT))
        blocks = list(from_python(name, public))
        if blocks:
            introduction = ast.get_docstring(ast.parse(path.read_text())) or ""
            sections[module] += f"## `{path.relative_to(ROOT / home)}`\n\n{markdown(introduction)}\n\n" + "".join(blocks)
            seen |= set(re.findall(r"py:function\} (\w+)", "".join(blocks)))
    for path in (path for path in paths if path.suffix == ".cpp"):
        found = {made[0]: made for made in from_cpp(str(path.relative_to(ROOT))) if made[0] not in seen}
        seen |= found.keys()
        blocks = [block("function", signature, text, str(path.relative_to(ROOT)), line) for _, signature, text, line in found.values()]
        sections["regard"] += f"## `{path.relative_to(ROOT / home)}`\n\n" * bool(blocks) + "".join(blocks)
    made = {f"python/{module}": f"# {module}\n\n```{{py:currentmodule}} {module}\n```\n\n{text}" for module, text in sections.items()}
    index = "# The Python reference\n\nWhat each function takes and gives, from its own documentation. How to begin: " \
            f"[regard from Python](/{home}/README.md).\n\n```{{toctree}}\n:maxdepth: 1\n\n"
    return made | {"python/index": index + "\n".join(f"/{name}" for name in sorted(made)) + "\n```\n"} if made else {}
