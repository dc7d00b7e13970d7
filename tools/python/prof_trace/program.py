# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
"""Finds the program prof-report."""
from __future__ import annotations

import os
import shutil

from .errors import Error

_PROGRAM = "prof-report"
_VARIABLE = "PROF_REPORT"


def find() -> str:
    """The absolute path of prof-report: of PROF_REPORT, beside this package, or on PATH."""
    named = os.environ.get(_VARIABLE)
    if named:
        if _is_program(named):
            return os.path.abspath(named)
        raise Error(
            "%s: %s: is not a program; set it to the path of prof-report" % (_VARIABLE, named)
        )
    for path in _beside():
        if _is_program(path):
            return path
    found = shutil.which(_PROGRAM)
    if found is None:
        raise Error(
            "prof-report: is neither in %s nor on PATH; set %s to its path"
            % (" nor in ".join(os.path.dirname(path) for path in _beside()), _VARIABLE)
        )
    return os.path.abspath(found)


def _beside() -> list[str]:
    above = [os.path.dirname(os.path.realpath(__file__))]
    for _ in range(4):
        above.append(os.path.dirname(above[-1]))
    # Installed, this is PREFIX/share/prof/python/prof_trace; of a wheel, PREFIX/lib/python3.N/
    # site-packages/prof_trace, or DIR/prof_trace by `pip install --target DIR`; in the sources,
    # tools/python/prof_trace.
    return [
        os.path.join(above[4], "bin", _PROGRAM),
        os.path.join(above[1], "bin", _PROGRAM),
        os.path.join(above[3], "build", "bin", _PROGRAM),
    ]


def _is_program(path: str) -> bool:
    return os.path.isfile(path) and os.access(path, os.X_OK)
