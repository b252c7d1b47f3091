"""Optional packages that compute measures, imported when a measure is first used."""

from dataclasses import dataclass
from importlib import import_module

__all__ = ["AEON", "DTAIDISTANCE", "RAPIDFUZZ", "Library", "load_one_of"]


@dataclass(frozen=True)
class Library:
    """A package that computes measures.

    Attributes
    ----------
    package : str
        What is imported, and what is installed.
    module : str or None
        The part of it that compares. A folder that happens to be called like the
        package can be imported; its parts cannot.
    """

    package: str
    module: str | None = None

    @property
    def command(self):
        """The line that installs it."""
        return f"pip install {self.package}"


RAPIDFUZZ = Library("rapidfuzz", "rapidfuzz.distance")
AEON = Library("aeon", "aeon.distances")
DTAIDISTANCE = Library("dtaidistance", "dtaidistance.dtw")


def load_one_of(libraries, user):
    """Return the first of some libraries that is installed.

    Parameters
    ----------
    libraries : sequence of Library
        In order of preference.
    user : str
        Who needs it, for the message.

    Returns
    -------
    library : Library

    Raises
    ------
    ImportError
        With the line that installs what is missing.
    """
    failed = None
    for library in libraries:
        try:
            import_module(library.package)
            import_module(library.module or library.package)
        except ImportError as error:
            failed = failed or error
        else:
            return library
    wanted = " or ".join(library.package for library in libraries)
    commands = " or: ".join(library.command for library in libraries)
    msg = f"{user} needs {wanted}, which cannot be imported ({failed}). Run: {commands}"
    raise ImportError(msg) from failed
