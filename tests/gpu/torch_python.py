# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""A program with a module of its own, whose name is the first argument, and with GPU work in a
thread that outlives its main module, and in an exit handler registered before torch is imported.
Prints what it sees of its start."""
import atexit
import sys
import threading
import time


def run(part):
    with torch.no_grad():
        print(part, tuple(model(x, part).shape))
    torch.cuda.synchronize()


def run_late():
    time.sleep(0.3)
    run("late")


atexit.register(run, "last")
print(sys.argv[1], getattr(__import__(sys.argv[1]), "me", "is the standard library's"))
print(sys.argv[1:], sys.path[0], sys.flags, __name__, __spec__, sys._getframe().f_back)
import torch  # noqa: E402


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.early, self.late, self.last = (torch.nn.Linear(64, 64) for _ in range(3))

    def forward(self, x, part):
        return getattr(self, part)(x)


model = Model().cuda()
x = torch.ones(8, 64, device="cuda")
run("early")
threading.Thread(target=run_late).start()
sys.exit(7)
