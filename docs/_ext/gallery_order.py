"""The order of the examples in the gallery."""

from sphinx_gallery.sorting import FileNameSortKey


class QuickstartFirst(FileNameSortKey):
    """Sort by the names of files, with quickstart.py before the others."""

    def __call__(self, filename):
        """Return the key of an example."""
        return (filename != "quickstart.py", filename)
