# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Runs cells with %%prof, by IPython where it is installed. Usage: jupyter.py OUT_DIR. Each check
prints a line `ok: ...`; the first that fails ends it."""
import os
import sys
import types

from prof_torch import jupyter

OUT = sys.argv[1]
SETUP = """
import torch
class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1, self.fc2 = torch.nn.Linear(256, 512), torch.nn.Linear(512, 16)
    def forward(self, x):
        return self.fc2(torch.relu(self.fc1(x)))
model = Model().cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
x = torch.randn(64, 256, device="cuda")
def train(steps):
    for _ in range(steps):
        optimizer.zero_grad()
        model(x).square().mean().backward()
        optimizer.step()
"""


class StandIn:
    """As much of IPython's shell as the magic uses."""

    def __init__(self):
        self.user_ns = {}

    def run_cell(self, cell):
        try:
            exec(cell, self.user_ns)
        except Exception as error:
            print("Traceback: %r" % error)
            return types.SimpleNamespace(success=False)
        return types.SimpleNamespace(success=True)

    def register_magic_function(self, function, magic_kind, magic_name):
        pass


def make_shell():
    try:
        from IPython.core.interactiveshell import InteractiveShell
    except ImportError:
        return StandIn()
    os.environ.setdefault("IPYTHONDIR", os.path.join(OUT, "ipython"))
    return InteractiveShell()


shell, shown = make_shell(), []
jupyter.load_ipython_extension(shell)
magic = jupyter.Magic(shell, show=shown.append)


def check(name, holds):
    if not holds:
        raise SystemExit("FAILED: " + name)
    print("ok: " + name, flush=True)


check("the model is made", shell.run_cell(SETUP).success)
magic.run("-o " + os.path.join(OUT, "cell.db"), "train(6)")
check("the summary has the step's period", "| period |" in repr(shown[-1]))
check("it has layers", "fc1" in repr(shown[-1]))
magic.run("--report layers", "train(3)")
check("a second cell has a trace of its own", "fc1" in repr(shown[-1]))
magic.run("--page", "train(3)")
check("the page is shown", "<iframe" in shown[-1]._repr_html_())
try:
    magic.run("--report ops", "train(2)\n1 / 0")
    check("a cell that fails is an error", False)
except jupyter.Line as line:
    check("a cell that fails says so", "the cell failed" in str(line))
check("its steps are reported", "linear" in repr(shown[-1]) or "addmm" in repr(shown[-1]))
with jupyter._start_capture(os.path.join(OUT, "busy.db"), False):
    before = len(shown)
    magic.run("", "y = 5")
check(
    "under another capture the cell runs without a report",
    len(shown) == before and shell.user_ns["y"] == 5,
)
