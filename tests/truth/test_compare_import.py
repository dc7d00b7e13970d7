# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""What compare_import.py accepts, and that it notices everything else."""
import json
import pathlib
import tempfile
import unittest

import element_types
from compare_import import EQUAL, differences


def row(**fields):
    made = dict.fromkeys(EQUAL, "")
    made.update(
        idx="1",
        op="linear",
        op_inner="aten::addmm",
        op_id="7",
        seq="100",
        bytes="8",
        dtype="float16",
        provenance="op=exact,dtype=estimated",
    )
    made.update(fields)
    return made


class Differences(unittest.TestCase):
    def problems(self, captured, imported):
        return differences(captured, imported)[0]

    def test_equal_steps_with_other_ids_and_numbers(self):
        self.assertEqual(self.problems([row()], [row(op_id="9", seq="50")]), [])

    def test_types_may_be_missing_in_the_capture_but_not_differ(self):
        problems, reasons = differences(
            [row(dtype="", bytes="")], [row(dtype="float32", bytes="16")]
        )
        self.assertEqual((problems, reasons), ([], {"element types": 2}))
        for change in ({"dtype": "float32"}, {"bytes": "16"}, {"dtype": ""}, {"bytes": ""}):
            self.assertEqual(len(self.problems([row()], [row(**change)])), 1, change)

    def test_types_that_were_captured_may_not_differ(self):
        self.assertEqual(
            len(self.problems([row(provenance="op=exact,dtype=exact")], [row(dtype="float32")])), 1
        )

    def test_lists_may_be_missing_but_not_differ(self):
        captured = row(op="adam", op_inner="aten::_foreach_add_", inputs="(3),(4)")
        self.assertEqual(self.problems([captured], [dict(captured, inputs="")]), [])
        self.assertEqual(len(self.problems([captured], [dict(captured, inputs="(3),(5)")])), 1)
        # The bytes are those of what is missing.
        self.assertEqual(self.problems([captured], [dict(captured, inputs="(3)", bytes="16")]), [])
        self.assertEqual(len(self.problems([captured], [dict(captured, bytes="16")])), 1)

    def test_values_explain_costs_of_gradients_alone(self):
        captured = row(op="embedding", dir="bprop", params="T=(3)")
        imported = dict(captured, params="E=(9,3)")
        self.assertEqual(differences([captured], [imported]), ([], {"values of arguments": 1}))
        for change in ({"dir": "fprop"}, {"op": "linear"}):
            changed = dict(captured, **change), dict(imported, **change)
            self.assertEqual(len(self.problems([changed[0]], [changed[1]])), 1)

    def test_another_op_link_or_shape(self):
        for change in (
            {"op": "matmul"},
            {"inputs": "(3)"},
            {"m": "3"},
            {"provenance": "op=inherited,dtype=estimated"},
            {"seq": ""},
            {"dtype": ""},
        ):
            self.assertEqual(len(self.problems([row(), row()], [row(), row(**change)])), 1, change)

    def test_instances_and_numbers_must_match_throughout(self):
        self.assertEqual(len(self.problems([row(), row()], [row(), row(op_id="8")])), 1)
        self.assertEqual(len(self.problems([row(), row(op_id="8")], [row(), row()])), 1)
        self.assertEqual(len(self.problems([row(), row(seq="101")], [row(), row(seq="105")])), 1)

    def test_a_kernel_too_few(self):
        self.assertEqual(len(self.problems([row(), row()], [row()])), 1)


def op(number, types, sizes, **more):
    return {
        "cat": "cpu_op",
        "name": "aten::op",
        "args": {"External id": number, "Input type": types, "Input Dims": sizes, **more},
    }


class ElementTypes(unittest.TestCase):
    HALVES = (["c10::Half", "Scalar", "double"], [[2], [], []])

    def judge(self, claim, types, sizes, exact="float16"):
        captured = row(dtype=claim, correlation="5")
        imported = row(dtype=exact, provenance="op=exact,dtype=exact", correlation="5")
        return element_types.judge(
            [captured], [imported], {"5": element_types.types_of(op(1, types, sizes))}
        )

    def test_counts(self):
        self.assertEqual(self.judge("float16", *self.HALVES), (1, [], 0, 0))
        self.assertEqual(self.judge("", *self.HALVES), (0, [], 1, 0))
        self.assertEqual(self.judge("float16", ["TensorList"], [[]], ""), (0, [], 0, 1))
        wrong = self.judge("float32", *self.HALVES)
        self.assertEqual(wrong, (1, [("linear", "aten::addmm", "float32", "float16")], 0, 0))
        self.assertIn("1 dtypes claimed, 1 wrong", element_types.text(wrong))

    def test_a_number_follows_the_tensors(self):
        self.assertEqual(len(self.judge("float64", *self.HALVES).wrong), 1)
        self.assertEqual(self.judge("float64", ["double"], [[]], "float64").wrong, [])

    def test_of_several_types_the_one_that_the_import_knows(self):
        copy = (["float", "c10::Half"], [[2], [2]])
        self.assertEqual(self.judge("float16", *copy).wrong, [])
        self.assertEqual(len(self.judge("float32", *copy).wrong), 1)
        # The import's op is another one around it.
        self.assertEqual(self.judge("int64", ["long int"], [[2]], "float32").wrong, [])

    def test_lists_have_the_types_of_the_import(self):
        self.assertEqual(len(self.judge("float32", ["TensorList"], [[]]).wrong), 1)
        self.assertEqual(self.judge("float16", ["TensorList"], [[]]).wrong, [])

    def test_tfloat32_is_how_floats_are_multiplied(self):
        self.assertEqual(self.judge("tfloat32", ["float"], [[2]], "float32").wrong, [])

    def test_kernels_of_a_trace(self):
        events = [
            op(3, *self.HALVES),
            {"cat": "kernel", "args": {"External id": 3, "correlation": 7}},
            {"cat": "kernel", "args": {"External id": 4, "correlation": 8}},
        ]
        with tempfile.TemporaryDirectory() as name:
            path = pathlib.Path(name) / "trace.json"
            path.write_text(json.dumps({"traceEvents": events}), encoding="utf-8")
            self.assertEqual(element_types.stated_types(path), {"7": {"float16"}, "8": set()})


if __name__ == "__main__":
    unittest.main()
