"""The C++ reference: a page for each public header, from the XML of Doxygen, in the C++ domain of Sphinx."""
import collections
import pathlib
import re
import sys
import xml.etree.ElementTree as ElementTree

from source_pages import ROOT

LIBRARIES = {"autograd": "The engine", "nn": "Layers and optimisers", "transformer": "Models and search",
             "apps": "The translator"}
# For the library's own rooms; a program has no use for them.
INTERNAL = set("move_into replace_by take_values memory version node Node RoundedCopies copies run_blocks BlockFunction "
               "times_loops in_timed_loop time_loop open_event TextHash TextMap".split())
DIRECTIVES = {"function": "function", "variable": "member", "typedef": "type", "enum": "enum"}


def plain(element):
    text = "".join(element.itertext()) if element is not None else ""
    return re.sub(r"\s+", " ", text.replace("f32::", "")).strip()


def markdown(element):
    """A description of Doxygen as Markdown."""
    def escaped(text):
        return re.sub(r"([*_\[\]<$|])", r"\\\1", text or "")

    text = escaped(element.text)
    for child in element:
        if child.tag == "computeroutput":
            text += f"`{''.join(child.itertext())}`"
        elif child.tag == "listitem":
            text += "- " + markdown(child).strip() + "\n"
        else:
            text += markdown(child) + "\n\n" * (child.tag in ("para", "itemizedlist", "orderedlist"))
        text += escaped(child.tail)
    return text


def description(element):
    parts = [element.find(part) for part in ("briefdescription", "detaileddescription", "inbodydescription")]
    texts = [markdown(part).strip() for part in parts if part is not None]
    return "\n\n".join(filter(None, texts))


def signature(member, scope=""):
    """The declaration; `scope` stands before its name."""
    name, type_ = scope + plain(member.find("name")), plain(member.find("type")).replace("constexpr ", "")
    if member.get("kind") == "enum":
        return name
    if member.get("kind") == "typedef":
        return f"{name} = {type_}"
    parameters = [" ".join(filter(None, (plain(p.find("type")), plain(p.find("declname")))))
                  for p in member.iterfind("templateparamlist/param")]
    template = f"template<{', '.join(parameters)}> " if parameters else ""
    arguments = re.sub(r"\s*(=\s*0|override|final)$", "", plain(member.find("argsstring")))
    arguments = re.sub(r"= ?\[.*?\{.*?\}", "= {}", arguments)  # Sphinx reads no lambda
    words = "".join(word + " " for word in ("static", "explicit") if member.get(word) == "yes")
    value = plain(member.find("initializer"))
    return re.sub(r"\s+", " ", f"{template}{words}{type_} {name}{arguments} {value if len(value) < 60 else ''}").strip()


def block(directive, signature, body, depth=0):
    fence = "`" * (6 - depth)
    return f"{fence}{{cpp:{directive}}} {signature}\n\n{body.strip()}\n{fence}\n\n"


class Reference:
    def __init__(self, folder):
        compounds = [ElementTree.parse(path).getroot()[0] for path in sorted(pathlib.Path(folder).glob("*.xml"))
                     if path.name.startswith(("class", "struct", "namespace"))]
        self.members = {member.get("id"): member for compound in compounds for member in compound.iter("memberdef")}
        self.headers, self.without_text = collections.defaultdict(list), []
        for compound in compounds:
            if compound.get("kind") == "namespace":
                for members in self.overloads(compound):
                    self.add(members[0], self.overloads_text(members, plain(compound.find("compoundname")) + "::"))
            elif compound.get("prot", "public") == "public" and plain(compound.find("compoundname")).split("::")[-1] not in INTERNAL:
                self.add(compound, self.class_text(compound))

    def add(self, element, text):
        at = element.find("location")
        self.headers[at.get("file")].append((int(at.get("line")), text))

    def overloads(self, compound):
        """The public members of a class or a namespace, in the order of the header; functions of one name together."""
        groups = collections.defaultdict(list)
        members = [m for m in compound.iter("memberdef") if m.get("prot") == "public" and m.get("kind") in DIRECTIVES
                   and plain(m.find("name")) not in INTERNAL and not re.search(r"= ?(default|delete)$", plain(m.find("argsstring")))]
        for member in sorted(members, key=lambda m: int(m.find("location").get("line"))):
            name = plain(member.find("name"))
            groups[name if member.get("kind") == "function" else member.get("id")].append(member)
        return list(groups.values())

    def text(self, member):
        """What is said of a member: above it, or above that of the base class."""
        base = member.find("reimplements")
        return description(member) or (self.text(self.members[base.get("refid")]) if base is not None and base.get("refid") in self.members else "")

    def overloads_text(self, members, scope="", depth=0):
        texts = [self.text(member) for member in members]
        *scopes, name = plain(members[0].find("qualifiedname")).split("::")
        if members[0].get("kind") == "function" and not any(texts) and name.lstrip("~") not in [*scopes, "operator="]:
            self.without_text.append((members[0].find("location"), name))
        blocks = []
        for member, text in zip(members, texts):
            at = member.find("location")
            body = text + "".join("\n\n" + block("enumerator", plain(value.find("name")), description(value), depth + 1)
                                  for value in member.iterfind("enumvalue"))
            source = f"[source](/{at.get('file')}#L{at.get('line')})"
            directive = "enum-class" if member.get("strong") == "yes" else DIRECTIVES[member.get("kind")]
            blocks.append(block(directive, signature(member, scope), f"{body}\n\n{source}", depth))
        return "".join(blocks)

    def class_text(self, compound):
        at = compound.find("location")
        name = plain(compound.find("compoundname"))
        bases = ", ".join(plain(base).split("::")[-1] for base in compound.iterfind("basecompoundref"))
        body = description(compound) + f"\n\n[source](/{at.get('file')}#L{at.get('line')})\n\n"
        body += "".join(self.overloads_text(members, depth=1) for members in self.overloads(compound))
        return block(compound.get("kind"), name + f" : public {bases}" * bool(bases), body)


def purpose(header):
    """The comment at the head of a header, before its first declaration."""
    found = re.search(r"^(?:(?:#|namespace|class \w+;|struct \w+;)[^\n]*\n|\n)+((?://(?!/)[^\n]*\n)+)\n", (ROOT / header).read_text())
    return re.sub(r"^// ?", "", found[1], flags=re.M) if found else ""


def pages(xml):
    reference, made = Reference(xml), {}
    for header, parts in reference.headers.items():
        text = "".join(part for _, part in sorted(parts))
        made[f"cpp/{header}"] = f"# {header}\n\n{purpose(header)}\n\n[The header](/{header})\n\n{text}"
    if reference.without_text:
        sys.exit("\n".join(f"{at.get('file')}:{at.get('line')}: {name} has no comment with ///" for at, name in reference.without_text))
    index = "# The C++ reference\n\nA page for each public header: what it has, with shapes, errors and sources.\n\n"
    for folder, title in LIBRARIES.items():
        names = "\n".join(f"/{name}" for name in sorted(made) if name.startswith(f"cpp/{folder}/"))
        index += f"```{{toctree}}\n:caption: {title}\n:maxdepth: 1\n\n{names}\n```\n\n"
    return made | {"cpp/index": index}
