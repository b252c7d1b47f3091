"""Formulas as MathML, by docutils: browsers show them without a script or a network."""

import re

from docutils.nodes import SkipNode
from docutils.utils.math.latex2mathml import tex2mathml

# Where docutils reads TeX differently: `\frac12` is 1/2; the indices of `\hat D_{ij}`
# belong beside the letter, not below; `\log r` has a space.
IDIOMS = {
    re.compile(r"frac(\d)(\d)"): r"frac{\1}{\2}",
    re.compile(r"(\\(?:hat|bar|tilde)\s*(?:\w|\{\w+\}))(?=[_^])"): r"{\1{}}",
    re.compile(r"(\\(?:log|exp|operatorname\{\w+\}))\s+(?=[\w\\|])"): r"\1\\,",
}


def mathml(node, **options):
    """Return the formula of a node."""
    formula = node.astext()
    for idiom, plain in IDIOMS.items():
        formula = idiom.sub(plain, formula)
    return tex2mathml(formula, **options)


def show_inline(translator, node):
    """Write a formula into its line."""
    translator.body.append(mathml(node))
    raise SkipNode


def show_display(translator, node):
    """Write a formula between paragraphs."""
    translator.body.append(f'<div class="math">{mathml(node, as_block=True)}</div>\n')
    raise SkipNode


def setup(app):
    """Offer the renderer under the name "mathml"."""
    app.add_html_math_renderer("mathml", (show_inline, None), (show_display, None))
    return {"parallel_read_safe": True}
