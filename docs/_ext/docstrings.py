"""Docstrings as people write them, made into what reStructuredText understands."""

import re

LITERAL = re.compile(r"(`+[^`]*`+)")
FITTED = re.compile(r"(?<![\w:.])(\w+_)(?=[\s,.;:)\]]|$)")
ROLE = re.compile(r":[a-z:]+:`~?([^`<]*?)(?: ?<[^`]*>)?`")


def quote_fitted_names(*event):
    """Keep `n_landmarks_` in a shape from being read as the name of a link."""
    lines = event[-1]
    for i, line in enumerate(lines):
        if line.strip() == "Examples":
            break
        entry, colon, text = line.partition(" : ")
        if not colon or " " in entry.replace(", ", "").strip():
            entry, colon, text = "", "", line
        parts = LITERAL.split(text)
        parts[::2] = [FITTED.sub(r"``\1``", part) for part in parts[::2]]
        lines[i] = entry + colon + "".join(parts)


def drop_foreign_roles(*event):
    """Turn links into scikit-learn's own pages, in docstrings it wrote, into names."""
    *_, documented, _, lines = event
    if str(getattr(documented, "__module__", "")).startswith("sklearn"):
        lines[:] = [ROLE.sub(r"`\1`", line) for line in lines]


def setup(app):
    """Mend docstrings before numpydoc (priority 500) sees them."""
    app.setup_extension("sphinx.ext.autodoc")
    app.connect("autodoc-process-docstring", quote_fitted_names, priority=400)
    app.connect("autodoc-process-docstring", drop_foreign_roles, priority=400)
    return {"parallel_read_safe": True}
