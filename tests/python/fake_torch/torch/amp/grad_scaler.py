# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
class GradScaler:
    finite = True

    def scale(self, loss):
        return loss

    def _unscale_grads_(self, optimizer):
        pass

    def unscale_(self, optimizer):
        self._unscale_grads_(optimizer)

    def step(self, optimizer, *args, **kwargs):
        if self.finite:
            return optimizer.step(*args, **kwargs)

    def update(self):
        pass
