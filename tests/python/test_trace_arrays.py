# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Tables as arrays of numpy and pandas: what is unknown becomes no number. Without these modules
their tests are skipped, and say so."""
import importlib
import importlib.util
import sys
import unittest
from unittest import mock

from trace_support import TraceTest, prof_trace
from prof_trace import Column, Table


def has(*names):
    missing = [name for name in names if importlib.util.find_spec(name) is None]
    return unittest.skipIf(missing, f"SKIPPED: no {' and no '.join(missing)}")


def table_of(notes=(), **columns):
    """Columns by word: type and values."""
    return Table(
        "made",
        {word: list(values) for word, (_, *values) in columns.items()},
        {word: Column(word, kind) for word, (kind, *_) in columns.items()},
        list(notes),
    )


MADE = table_of(
    notes=["trace: t.db"],
    whole=("integer", 1, 2, 3),
    gaps=("integer", 0, None, -1),
    none=("integer", None, None, None),
    large=("integer", 2**64 - 1, None, 0),
    huge=("integer", 2**64 - 1, None, -1),
    real=("real", 0.5, None, 2.0),
    text=("text", "é", None, ""),
    lists=("text", (1, 2), None, (3, 4)),
)


class Absent(TraceTest):
    def test_a_module_that_is_not_installed(self):
        table = self.opened("bert_small").kernels("op")
        for missing, call in (("numpy", table.numpy), ("numpy", table.pandas)):
            with mock.patch.dict(sys.modules, {missing: None}):
                self.assertRegex(
                    self.line_of(call),
                    "^%s: cannot be imported .*; install it, or "
                    "use the table's lists$" % missing,
                )

    @has("numpy")
    def test_pandas_alone_is_not_installed(self):
        importlib.import_module("numpy")  # or the patch would forget it
        with mock.patch.dict(sys.modules, {"pandas": None}):
            self.assertRegex(self.line_of(MADE.pandas), "^pandas: cannot be imported ")

    def test_neither_is_imported_before_it_is_asked_for(self):
        with mock.patch.dict(sys.modules, {"numpy": None, "pandas": None}):
            self.assertLess(0, len(self.opened("bert_small").kernels()))


@has("numpy")
class Numpy(TraceTest):
    def test_types(self):
        arrays = MADE.numpy()
        self.assertEqual(
            {
                "whole": "int64",
                "gaps": "int64",
                "none": "int64",
                "large": "uint64",
                "huge": "object",
                "real": "float64",
                "text": "object",
                "lists": "object",
            },
            {word: str(array.dtype) for word, array in arrays.items()},
        )
        for word in ("whole", "gaps", "none", "large", "huge", "text", "lists"):
            self.assertEqual(MADE[word], arrays[word].tolist(), word)
        self.assertEqual(1, arrays["lists"].ndim)

    def test_what_is_unknown_is_no_number(self):
        import numpy as np

        arrays = MADE.numpy()
        self.assertEqual([False, True, False], arrays["gaps"].mask.tolist())
        self.assertEqual(-1, arrays["gaps"].sum())
        self.assertEqual([-(2**63)], np.asarray(arrays["gaps"])[1:2].tolist())
        self.assertEqual([False, True, False], np.isnan(arrays["real"]).tolist())

    def test_a_trace(self):
        kernels = self.opened("nccl_torch").kernels()
        for word, array in kernels.numpy().items():
            values = array.tolist()
            if kernels.columns[word].type == "real":
                values = [None if value != value else value for value in values]
            self.assertEqual(kernels[word], values, word)
        empty = self.opened("nccl_torch").kernels(where="0").numpy()
        self.assertEqual({0}, {len(array) for array in empty.values()})


@has("numpy", "pandas")
class Pandas(TraceTest):
    def test_types(self):
        frame = MADE.pandas()
        self.assertEqual(
            {
                "whole": "Int64",
                "gaps": "Int64",
                "none": "Int64",
                "large": "UInt64",
                "huge": "object",
                "real": "Float64",
                "text": "string",
                "lists": "object",
            },
            {word: str(kind) for word, kind in frame.dtypes.items()},
        )
        self.assertEqual(["trace: t.db"], frame.attrs["notes"])

    def test_what_is_unknown_is_no_number(self):
        import pandas as pd

        frame = MADE.pandas()
        for word in MADE:
            self.assertEqual(
                [value is None for value in MADE[word]], frame[word].isna().tolist(), word
            )
            self.assertEqual(
                [value for value in MADE[word] if value is not None],
                frame[word].dropna().tolist(),
                word,
            )
        self.assertIs(pd.NA, frame["gaps"][1])
        self.assertEqual(-1, frame["gaps"].sum())

    def test_a_trace(self):
        kernels = self.opened("nccl_torch").kernels()
        frame = kernels.pandas()
        self.assertEqual(list(kernels.keys()), list(frame.columns))
        self.assertEqual(sum(kernels["time_ns"]), frame["time_ns"].sum())
        self.assertEqual(kernels["step"].count(None), frame["step"].isna().sum())
        by_op = frame.groupby("op")["time_ns"].sum().to_dict()
        self.assertEqual(
            {
                row["op"]: row["time_ns"]
                for row in self.opened("nccl_torch").report("ops", by="op").rows()
                if row["op"]
            },
            by_op,
        )
        self.assertEqual(0, len(self.opened("nccl_torch").kernels(where="0").pandas()))


if __name__ == "__main__":
    unittest.main()
