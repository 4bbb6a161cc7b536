"""Settings of Sphinx for the site. It reads the pages that prepare.py makes."""
import pathlib

import docutils.nodes
import latex2mathml.converter
import sphinx.addnodes

HERE = pathlib.Path(__file__).parent
project = html_title = "regard"
extensions = ["myst_parser"]
root_doc = "README"
html_theme = "furo"
html_theme_options = {"footer_icons": []}
html_static_path = [str(HERE / "static")]
html_css_files = ["site.css"]
html_copy_source = html_show_sphinx = html_show_copyright = False
html_use_index = False
pygments_style, pygments_dark_style = "friendly", "github-dark"
myst_heading_anchors = 4
myst_enable_extensions = ["dollarmath"]
myst_fence_as_directive = ["math"]
# Links that are right as they are (prepare.py makes them), without their scheme.
myst_url_schemes = {"http": None, "https": None, "shown": {"url": "{{path}}"}, "line": {"url": "{{path}}#{{fragment}}"}}


def mathml(self, node):
    """An equation as MathML, which browsers draw themselves: no script, no font, no request."""
    display = "block" if isinstance(node, docutils.nodes.math_block) else "inline"
    self.body.append(latex2mathml.converter.convert(node.astext(), display=display))
    raise docutils.nodes.SkipNode


def short_tree(app, page, template, context, doctree):
    """The tree of contents at the left has titles of documents alone. Sphinx copies all headings of all documents for it,
    on each page, and drops them again; without them a build takes two thirds of the time."""
    env, whole, original = app.env, app.env.tocs, context["toctree"]
    if not hasattr(env, "titles_alone"):
        env.titles_alone = {name: toc.deepcopy() for name, toc in whole.items()}
        for toc in env.titles_alone.values():
            if not list(toc.findall(sphinx.addnodes.toctree)):
                del toc[0][1:]

    def toctree(**options):
        env.tocs = env.titles_alone
        try:
            return original(**options)
        finally:
            env.tocs = whole

    context["toctree"] = toctree


def setup(app):
    app.connect("html-page-context", short_tree, priority=400)  # before the theme asks for the tree
    app.add_html_math_renderer("mathml", (mathml, None), (mathml, None))
