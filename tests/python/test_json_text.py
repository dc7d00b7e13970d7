# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""json_text writes what json does, and reads it again."""
import json
import unittest

from support import prof_torch  # noqa: F401 (its folder)
from prof_torch.json_text import json_text, parsed

VALUES = [
    None,
    True,
    False,
    0,
    -3,
    2**70,
    0.5,
    -1e300,
    1e-7,
    "",
    "layer",
    'a "b" \\ \n\t\x00\x7f',
    "é",
    "漢",
    "😀",
    "\udc80",
    [],
    [1, [2, None]],
    (1, "x"),
    {},
    {"a": {"b": [True]}, "é": 1},
]


class JsonText(unittest.TestCase):
    def test_what_json_writes(self):
        for value in VALUES:
            with self.subTest(value=value):
                text = json_text(value)
                self.assertEqual(json.dumps(value, separators=(",", ":")), text)
                if "\\ud" not in text:  # halves stay halves
                    self.assertEqual(json.loads(text), parsed(text))

    def test_what_json_does_not_have(self):
        for value in (float("nan"), float("inf"), -float("inf"), [float("nan")]):
            self.assertRaises(ValueError, json_text, value)
        for value in (b"x", {1}, object(), {"a": {2}}, {1: 2}):
            self.assertRaises(TypeError, json_text, value)


if __name__ == "__main__":
    unittest.main()
