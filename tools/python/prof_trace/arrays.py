# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
"""Lists as arrays of numpy and pandas, which are imported here alone, when they are asked for."""
from __future__ import annotations

import importlib

from .errors import Error


def numpy_array(values: list, kind: str):
    np = _module("numpy")
    if kind == "integer":
        data, mask = _integers(np, values)
        return np.ma.masked_array(data, mask=mask)
    if kind == "real":
        return _reals(np, values)
    return _objects(np, values)


def data_frame(table):
    np, pd = _module("numpy"), _module("pandas")
    frame = pd.DataFrame(
        {
            word: _pandas_array(np, pd, values, table.columns[word].type)
            for word, values in table.items()
        }
    )
    frame.attrs["notes"] = list(table.notes)
    return frame


def _pandas_array(np, pd, values: list, kind: str):
    # From data and masks: pandas would guess types from the values.
    if kind == "integer":
        data, mask = _integers(np, values)
        return data if data.dtype == object else pd.arrays.IntegerArray(data, mask)
    if kind == "real":
        return pd.arrays.FloatingArray(_reals(np, values), _unknown(np, values))
    is_text = all(value is None or isinstance(value, str) for value in values)
    return pd.array(_objects(np, values), dtype="string" if is_text else object)


def _integers(np, values: list):
    """Data and mask. Whoever ignores the mask sees the number that is farthest from any."""
    known = [value for value in values if value is not None]
    if not known or -(2**63) <= min(known) and max(known) < 2**63:
        dtype, filler = np.int64, -(2**63)
    elif min(known) >= 0 and max(known) < 2**64:
        dtype, filler = np.uint64, 2**64 - 1
    else:
        return _objects(np, values), _unknown(np, values)
    data = (filler if value is None else value for value in values)
    return np.fromiter(data, dtype, len(values)), _unknown(np, values)


def _reals(np, values: list):
    nan = float("nan")
    return np.fromiter((nan if value is None else value for value in values), float, len(values))


def _objects(np, values: list):
    data = np.empty(len(values), object)
    for i, value in enumerate(values):  # numpy would take tuples for rows of a matrix
        data[i] = value
    return data


def _unknown(np, values: list):
    return np.fromiter((value is None for value in values), bool, len(values))


def _module(name: str):
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise Error(
            "%s: cannot be imported (%s); install it, or use the table's lists" % (name, error)
        ) from None
