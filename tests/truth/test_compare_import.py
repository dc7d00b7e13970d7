# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""What compare_import.py accepts, and that it notices everything else."""
import unittest

from compare_import import EQUAL, differences


def row(**fields):
    made = dict.fromkeys(EQUAL, "")
    made.update(idx="1", op="linear", op_inner="aten::addmm", op_id="7", seq="100", bytes="8",
                dtype="float16",
                provenance="op=exact,dtype=estimated")
    made.update(fields)
    return made


class Differences(unittest.TestCase):
    def problems(self, captured, imported):
        return differences(captured, imported)[0]

    def test_equal_steps_with_other_ids_and_numbers(self):
        self.assertEqual(self.problems([row()], [row(op_id="9", seq="50")]), [])

    def test_stated_types_differ_with_a_reason(self):
        problems, reasons = differences([row()], [row(dtype="float32", bytes="16")])
        self.assertEqual((problems, reasons), ([], {"element types": 2}))

    def test_types_that_were_captured_may_not_differ(self):
        self.assertEqual(len(self.problems([row(provenance="op=exact,dtype=exact")],
                                           [row(dtype="float32")])), 1)

    def test_lists_may_be_missing_but_not_differ(self):
        captured = row(op="adam", op_inner="aten::_foreach_add_", inputs="(3),(4)")
        self.assertEqual(self.problems([captured], [dict(captured, inputs="")]), [])
        self.assertEqual(len(self.problems([captured], [dict(captured, inputs="(3),(5)")])), 1)

    def test_values_explain_costs_of_gradients_alone(self):
        captured = row(op="embedding", dir="bprop", params="T=(3)")
        imported = dict(captured, params="E=(9,3)")
        self.assertEqual(differences([captured], [imported]), ([], {"values of arguments": 1}))
        for change in ({"dir": "fprop"}, {"op": "linear"}):
            changed = dict(captured, **change), dict(imported, **change)
            self.assertEqual(len(self.problems([changed[0]], [changed[1]])), 1)

    def test_another_op_link_or_shape(self):
        for change in ({"op": "matmul"}, {"inputs": "(3)"}, {"m": "3"},
                       {"provenance": "op=inherited,dtype=estimated"},
                       {"seq": ""}, {"dtype": ""}):
            self.assertEqual(len(self.problems([row(), row()], [row(), row(**change)])), 1, change)

    def test_instances_and_numbers_must_match_throughout(self):
        self.assertEqual(len(self.problems([row(), row()], [row(), row(op_id="8")])), 1)
        self.assertEqual(len(self.problems([row(), row(op_id="8")], [row(), row()])), 1)
        self.assertEqual(len(self.problems([row(), row(seq="101")], [row(), row(seq="105")])), 1)

    def test_a_kernel_too_few(self):
        self.assertEqual(len(self.problems([row(), row()], [row()])), 1)


if __name__ == "__main__":
    unittest.main()
