"""A DOI or arXiv number, wherever it is written, leads to the paper."""

import re

from docutils.nodes import FixedTextElement, Text, literal, reference

NUMBER = re.compile(r"(doi|arXiv):([\w./()-]+[\w)])")
HOMES = {"doi": "https://doi.org/", "arXiv": "https://arxiv.org/abs/"}


def link_numbers(_app, doctree):
    """Make links of the numbers in running text; code stays as it is."""
    for text in list(doctree.findall(Text)):
        parent = text.parent
        if isinstance(parent, FixedTextElement | literal | reference):
            continue
        nodes, end = [], 0
        for found in NUMBER.finditer(text):
            archive, number = found.groups()
            nodes.append(Text(text[end : found.start()]))
            nodes.append(reference("", found[0], refuri=HOMES[archive] + number))
            end = found.end()
        if nodes:
            parent.replace(text, [*nodes, Text(text[end:])])


def setup(app):
    """Look through each page when it has been read."""
    app.connect("doctree-read", link_numbers)
    return {"parallel_read_safe": True}
