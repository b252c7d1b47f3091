"""A constructor call as text, to be pasted, together with what its names stand for."""

import ast
import sys
from dataclasses import dataclass

import numpy as np

from ..comparisons import BlockMetric

__all__ = ["PastedCall", "name_measure", "write_params"]

_WIDTH = 76


@dataclass(frozen=True, eq=False)
class PastedCall:
    """Python code that makes an estimator.

    Attributes
    ----------
    call : str
        The constructor call, an expression.
    code : str
        The same with the imports it needs, assigned to ``model``.
    names : dict of str to object
        What the names in it stand for, apart from those imported:
        ``exec(code, dict(names))`` runs.
    """

    call: str
    code: str
    names: dict

    @classmethod
    def of(cls, class_name, arguments, names, preparation=()):
        """Write a call.

        Parameters
        ----------
        class_name : str
            A public class of skproxy.
        arguments : list of str
            As in the call, ``"name=value"``.
        names : dict of str to object
        preparation : sequence of str, default=()
            Statements that come before the call.
        """
        call = _wrapped(class_name, arguments)
        imported = [class_name]
        if any("BlockMetric(" in argument for argument in arguments):
            imported.insert(0, "BlockMetric")
        lines = [f"from skproxy import {', '.join(imported)}", ""]
        lines = [*_imports_of(names), *lines]
        if preparation:
            lines = ["import numpy as np", *lines, *preparation]
        return cls(call, "\n".join([*lines, f"model = {call}"]), names)


def _imports_of(names):
    """Return the lines that import what names stand for, where a module has it."""
    lines = []
    for name, thing in names.items():
        where = getattr(thing, "__module__", None)
        module = sys.modules.get(where)
        if where not in (None, "__main__") and getattr(module, name, None) is thing:
            lines.append(f"from {where} import {name}")
    return lines


def _wrapped(function, arguments):
    line = f"{function}({', '.join(arguments)})"
    if len(line) + len("model = ") <= _WIDTH:
        return line
    rows, row = [], "   "
    for argument in arguments:
        if len(row) + len(argument) + 2 > _WIDTH and row.strip():
            rows.append(row)
            row = "   "
        row += f" {argument},"
    return "\n".join([f"{function}(", *rows, row, ")"])


def name_measure(compare, parameter, *, both_ways=False):
    """Write a measure as code.

    Parameters
    ----------
    compare : str, callable or BlockMetric
    parameter : {"metric", "kernel"}
        Stands for what has no name of its own: a lambda, say.
    both_ways : bool, default=False
        Write its average over the two directions.

    Returns
    -------
    text : str
    names : dict of str to object
    """
    if isinstance(compare, str):
        return f'"{compare}"', {}
    is_block = type(compare) is BlockMetric
    func = compare.func if is_block else compare
    name = getattr(func, "__name__", "")
    if not name.isidentifier():
        name = parameter
        func, is_block = compare, False
    names = {name: func}
    if isinstance(compare, BlockMetric):
        if both_ways:
            average = f"({name}(a, b, **k) + {name}(b, a, **k).T) / 2"
            return f"BlockMetric(lambda a, b, **k: {average})", names
        return (f"BlockMetric({name})" if is_block else name), names
    if both_ways:
        return f"lambda a, b, **k: ({name}(a, b, **k) + {name}(b, a, **k)) / 2", names
    return name, names


def write_params(params, compare, parameter):
    """Write the keyword arguments of a measure as arguments of an estimator.

    Parameters
    ----------
    params : dict
    compare : str, callable or BlockMetric
        Kernels by name have arguments of their own for what they know.
    parameter : {"metric", "kernel"}

    Returns
    -------
    arguments : list of str
    names : dict of str to object
        What cannot be typed gets a name.
    """
    arguments, rest = [], {}
    for name, value in params.items():
        value = value.item() if isinstance(value, np.generic) else value
        if parameter == "kernel" and isinstance(compare, str) and name in _OWN:
            arguments.append(f"{name}={value!r}")
        else:
            rest[name] = value
    if not rest:
        return arguments, {}
    text, name = repr(rest), f"{parameter}_params"
    try:
        typed = ast.literal_eval(text) == rest
    except (ValueError, SyntaxError):
        typed = False
    if not typed:
        return [*arguments, f"{name}={name}"], {name: rest}
    if '"' not in text:
        text = text.replace("'", '"')
    return [*arguments, f"{name}={text}"], {}


_OWN = ("gamma", "coef0", "degree")
