# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
from . import utils


class Module:
    def __init__(self):
        self.__dict__.update(_modules={}, training=True)

    def __setattr__(self, name, value):
        if isinstance(value, Module):
            self._modules[name] = value
        else:
            object.__setattr__(self, name, value)

    def __getattr__(self, name):
        try:
            return self.__dict__["_modules"][name]
        except KeyError:
            raise AttributeError(name) from None

    _compiled_call_impl = None

    def _wrapped_call_impl(self, *args, **kwargs):
        if self._compiled_call_impl is not None:
            return self._compiled_call_impl(*args, **kwargs)
        return self._call_impl(*args, **kwargs)

    def _call_impl(self, *args, **kwargs):
        return self.forward(*args, **kwargs)

    __call__ = _wrapped_call_impl

    def forward(self, x):
        return x

    def modules(self):
        yield self
        for child in self._modules.values():
            yield from child.modules()

    def train(self, mode=True):
        for module in self.modules():
            module.training = mode

    def _replicate_for_data_parallel(self):
        replica = self.__new__(type(self))
        replica.__dict__ = dict(self.__dict__, _is_replica=True)
        replica.__dict__["_modules"] = {
            n: m._replicate_for_data_parallel() for n, m in self._modules.items()
        }
        return replica


class Linear(Module):
    pass


class Tensor:
    def __init__(self, *shape, dtype="torch.float32", requires_grad=True):
        self.shape, self.dtype, self.requires_grad = shape, dtype, requires_grad


class Parameter(Tensor):
    pass


class Conv2d(Module):
    def __init__(self, kernel_size=3, stride=(1, 1), padding=(0, 0), padding_mode="zeros"):
        super().__init__()
        self.kernel_size, self.stride, self.padding, self.padding_mode = (
            kernel_size,
            stride,
            padding,
            padding_mode,
        )
        self.dilation, self.output_padding, self.groups, self.transposed = (1, 1), (0, 0), 1, False
        self.__dict__["_parameters"] = {"weight": Tensor(), "bias": None}

    def forward(self, x):
        return self._conv_forward(x)

    def _conv_forward(self, x):
        return x


class MaxPool2d(Module):
    def __init__(self, kernel_size, stride=None):
        super().__init__()
        self.kernel_size, self.stride, self.padding, self.dilation = (
            kernel_size,
            stride or kernel_size,
            0,
            1,
        )
        self.ceil_mode = False

    def forward(self, x):
        return x


class AdaptiveAvgPool2d(Module):
    def __init__(self, output_size):
        super().__init__()
        self.output_size = output_size

    def forward(self, x):
        return x


class Upsample(Module):
    def __init__(self, size=None, scale_factor=None):
        super().__init__()
        self.size, self.scale_factor = size, scale_factor

    def forward(self, x):
        return x


class ReLU(Module):
    pass


class MSELoss(Module):
    pass


class ModuleList(Module):
    def __init__(self, modules):
        super().__init__()
        for i, module in enumerate(modules):
            self._modules[str(i)] = module

    def __iter__(self):
        return iter(self._modules.values())


class Sequential(ModuleList):
    def __init__(self, *modules):
        super().__init__(modules)

    def forward(self, x):
        for module in self:
            x = module(x)
        return x


class DistributedDataParallel(Module):
    def __init__(self, module):
        super().__init__()
        self.module = module

    def forward(self, x):
        return self.module(x)


class DataParallel(DistributedDataParallel):
    def forward(self, x):
        import threading

        threads = [
            threading.Thread(target=self.module._replicate_for_data_parallel(), args=(x,))
            for _ in range(2)
        ]
        for thread in threads:
            thread.start()
            thread.join()
        return x


class OptimizedModule(Module):
    def __init__(self, module):
        super().__init__()
        self._orig_mod = module

    def forward(self, x):
        return self._orig_mod(x)
