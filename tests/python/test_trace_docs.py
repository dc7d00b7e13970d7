# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""The example of docs/python.md prints what it says; --rebase writes it anew."""
import os
import re
import subprocess
import sys
import unittest

from trace_support import PACKAGE_FOLDER, ROOT, TraceTest

DOC = os.path.join(ROOT, "docs", "python.md")
EXAMPLE = re.compile(r"^```python\n(.*?)^```\n\n^```text\n(.*?)^```$", re.M | re.S)


class Example(TraceTest):
    def test_output(self):
        with open(DOC, encoding="utf-8") as file:
            text = file.read()
        code, output = EXAMPLE.search(text).groups()
        self.made("bert_small", "trace.db")
        printed = subprocess.run(
            [sys.executable, "-B", "-c", code],
            cwd=self.folder,
            check=True,
            env={**os.environ, "PYTHONPATH": PACKAGE_FOLDER},
            stdout=subprocess.PIPE,
            text=True,
        ).stdout
        if REBASE:
            with open(DOC, "w", encoding="utf-8") as file:
                file.write(text.replace("```text\n" + output, "```text\n" + printed, 1))
        else:
            self.assertEqual(output, printed)


REBASE = "--rebase" in sys.argv

if __name__ == "__main__":
    unittest.main(argv=[word for word in sys.argv if word != "--rebase"])
