# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
from ..nn import Module


class GraphModule(Module):
    """Each instance has a class of its own, which has the name that its maker chooses."""

    def __new__(cls, *args, **kwargs):
        class GraphModuleImpl(cls):
            pass

        return super().__new__(GraphModuleImpl)

    def __init__(self, root, code, class_name="GraphModule"):
        super().__init__()
        kind = type(self)
        kind.__name__ = class_name
        self._modules.update(root._modules)
        self.code = code

        def call_wrapped(self, *args, **kwargs):
            return super(kind, self).__call__(*args, **kwargs)

        kind.__call__ = call_wrapped

    def forward(self, x):
        return self.code(self, x)
