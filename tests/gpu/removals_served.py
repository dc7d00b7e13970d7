# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Programs for removals.py that serve, compile, or load data: a step with the waste, and one
without it. Those without a waste are there for what must not be advised. Nothing is downloaded.
"""
import contextlib

import torch
from torch import nn
from torch.nn import functional as F


class Program:
    """step() is a step of it."""

    options = {}

    def __init__(self, step, tf32=True):
        self.step, self.tf32 = step, tf32

    def select(self):
        torch.backends.cuda.matmul.allow_tf32 = self.tf32
        torch.backends.cudnn.allow_tf32 = self.tf32


def replayed(step, inputs=()):
    """The step as a CUDA graph."""
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for _ in range(3):
            step()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        kept = step()
    graph.kept = (kept, inputs, step)  # as long as the graph: it reads their memory
    return graph.replay


def served(module, *inputs, graph=False, **named):
    module = module.cuda().eval()

    @torch.inference_mode()
    def step():
        return module(*inputs, **named)

    return replayed(step) if graph else step


def gpt2(batch, length, **options):
    import transformers

    model = transformers.GPT2LMHeadModel(transformers.GPT2Config(use_cache=False, **options))
    return model.half(), torch.randint(0, 50000, (batch, length), device="cuda")


def bert(batch, length, dtype=torch.bfloat16, **options):
    import transformers

    model = transformers.BertForMaskedLM(transformers.BertConfig(vocab_size=30528, **options))
    return model.to(dtype), torch.randint(0, 30000, (batch, length), device="cuda")


def resnet(layout=torch.channels_last):
    import torchvision

    return torchvision.models.resnet50().half().to(memory_format=layout)


def images(batch, layout=torch.channels_last, device="cuda"):
    made = torch.randn(batch, 3, 224, 224, device=device, dtype=torch.float16)
    return made.contiguous(memory_format=layout)


def serve_gpt2(waste):
    return lambda with_it: Program(served(*gpt2(1, 16), graph=not with_it))


def serve_bert(waste):
    if waste == "launches":
        return lambda with_it: Program(served(*bert(1, 32), graph=not with_it))
    if waste == "attention":
        return lambda with_it: Program(
            served(*bert(32, 512, attn_implementation="eager" if with_it else "sdpa"))
        )
    return lambda with_it: Program(served(*bert(16, 256, torch.float32)), tf32=not with_it)


def serve_resnet(waste):
    if waste == "launches":
        return lambda with_it: Program(served(resnet(), images(1), graph=not with_it))
    if waste == "layout":

        def make(with_it):
            layout = torch.contiguous_format if with_it else torch.channels_last
            return Program(served(resnet(layout), images(128, layout)))

        return make

    def copies(with_it):
        model, batch = resnet().cuda().eval(), images(256, device="cpu")
        batch = batch if with_it else batch.pin_memory()

        @torch.inference_mode()
        def step():
            return model(batch.cuda(non_blocking=True))

        return Program(step)

    return copies


class Norm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x):
        y = x.float()
        y = y * torch.rsqrt(y.pow(2).mean(-1, keepdim=True) + 1e-6)
        return self.weight.to(x.dtype) * y.to(x.dtype)


def mlp(width, depth, norm=Norm):
    layers = []
    for _ in range(depth):
        layers += [norm(width), nn.Linear(width, width), nn.GELU()]
    return nn.Sequential(*layers)


def trained(module, inputs, optimizer=None):
    optimizer = optimizer or torch.optim.AdamW(
        module.parameters(), lr=1e-4, fused=True, capturable=True
    )

    def step():
        optimizer.zero_grad(set_to_none=True)
        loss = module(inputs).float().pow(2).mean()
        loss.backward()
        optimizer.step()
        return loss

    return step


def train_mlp(waste):
    def launches(with_it):
        module = mlp(256, 16).cuda()
        step = trained(module, torch.randn(64, 256, device="cuda"))
        return Program(step if with_it else replayed(step))

    def norm(with_it):
        with torch.device("cuda"):
            module = mlp(2048, 8).bfloat16()
        if not with_it:
            for part in module:
                if isinstance(part, Norm):
                    part.compile()
        return Program(
            trained(module, torch.randn(16384, 2048, device="cuda", dtype=torch.bfloat16))
        )

    def mode(with_it):
        module = torch.compile(
            mlp(256, 16).cuda(), mode="default" if with_it else "reduce-overhead"
        )
        return Program(trained(module, torch.randn(64, 256, device="cuda")))

    return {"launches": launches, "norm": norm, "mode": mode}[waste]


def train_triton(waste):
    import triton

    source = """
@triton.jit
def scale(x, n, FACTOR{kind}, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + at, tl.load(x + at, mask=at < n) * 0.5 + FACTOR, mask=at < n)
"""

    def make(with_it):
        import importlib.util
        import pathlib
        import tempfile

        path = pathlib.Path(tempfile.mkdtemp()) / "scale.py"  # Triton reads its kernels' files
        path.write_text(
            "import triton\nfrom triton import language as tl\n"
            + source.format(kind=": tl.constexpr" if with_it else ""),
            encoding="utf-8",
        )
        spec = importlib.util.spec_from_file_location("scale", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        x, w = torch.randn(4096, 4096, device="cuda"), nn.Linear(4096, 4096).cuda()
        count = [torch.seed() % 100000 * 100]  # constants that no cache has

        @torch.no_grad()
        def step():
            count[0] += 1
            y = w(x).view(-1)
            module.scale[(triton.cdiv(y.numel(), 1024),)](y, y.numel(), count[0] + 2, BLOCK=1024)
            return y

        return Program(step)

    return make


class Pictures(torch.utils.data.Dataset):
    def __len__(self):
        return 1 << 20

    def __getitem__(self, index):
        x = torch.full((3, 224, 224), float(index % 7))
        for _ in range(4):
            x = (x * 1.01).sin()
        return x


def load(waste):
    def make(with_it):
        loader = torch.utils.data.DataLoader(
            Pictures(), batch_size=32, pin_memory=True, num_workers=0 if with_it else 8
        )
        batches = iter(loader)
        import torchvision

        step_on = torchvision.models.resnet50().cuda().to(memory_format=torch.channels_last)
        optimizer = torch.optim.SGD(step_on.parameters(), lr=1e-3)
        torch.set_num_threads(1)

        def step():
            batch = next(batches).cuda(non_blocking=True)
            optimizer.zero_grad()
            with torch.autocast("cuda", dtype=torch.bfloat16):
                loss = step_on(batch.contiguous(memory_format=torch.channels_last)).pow(2).mean()
            loss.backward()
            optimizer.step()

        return Program(step)

    return make


def graphed(waste):
    def make(with_it):
        step = trained(mlp(256, 16).cuda(), torch.randn(64, 256, device="cuda"))
        return Program(replayed(step))

    return make


def sparse(waste):
    def make(with_it):
        table = nn.Embedding(100000, 64, sparse=True).cuda()
        optimizer = torch.optim.SparseAdam(table.parameters(), lr=1e-3)
        rows = torch.randint(0, 100000, (65536,), device="cuda")

        def step():
            optimizer.zero_grad()
            table(rows).pow(2).mean().backward()
            optimizer.step()

        return Program(step)

    return make


def selecting(waste):
    """As a detector does: what is selected decides what is launched next."""

    def make(with_it):
        layers = [nn.Linear(128, 128).cuda() for _ in range(12)]
        x = torch.randn(4096, 128, device="cuda")

        @torch.no_grad()
        def step():
            y = x
            for layer in layers:
                z = layer(y)
                kept = torch.nonzero(z.sum(1) > 0).flatten()
                y = F.pad(z[kept], (0, 0, 0, len(x) - len(kept)))
            return y

        return Program(step)

    return make


def decode(waste):
    """Keys and values grow by a row with each token."""

    def make(with_it):
        model, _ = gpt2(1, 1)
        model = model.cuda().eval()
        model.config.use_cache = True
        state = {}

        @torch.inference_mode()
        def step():
            if not state or state["length"] > 500:
                state.update(
                    past=None, length=0, token=torch.ones(1, 1, dtype=torch.int64, device="cuda")
                )
            out = model(state["token"], past_key_values=state["past"], use_cache=True)
            state.update(
                past=out.past_key_values,
                token=out.logits[:, -1:].argmax(-1),
                length=state["length"] + 1,
            )

        return Program(step)

    return make


#: By program and waste. "none": without one.
SERVED = {
    "serve_gpt2": (serve_gpt2, ["launches"]),
    "serve_bert": (serve_bert, ["launches", "attention", "fp32"]),
    "serve_resnet": (serve_resnet, ["launches", "layout", "copies"]),
    "train_mlp": (train_mlp, ["launches", "norm", "mode"]),
    "train_triton": (train_triton, ["compiling"]),
    "load": (load, ["workers"]),
    "graphed": (graphed, ["none"]),
    "sparse": (sparse, ["none"]),
    "selecting": (selecting, ["none"]),
    "decode": (decode, ["none"]),
}
#: Compile before they run: seconds for which they need no GPU of their own.
COMPILED = {("train_mlp", "norm"), ("train_mlp", "mode")}
#: Without an optimizer or a module's call for each step, a step is marked by hand.
MARKED = {"graphed", "train_triton", "selecting"}


def program(name, waste, with_it):
    return SERVED[name][0](waste)(with_it)


@contextlib.contextmanager
def step_range(name, number):
    if name not in MARKED:
        yield
        return
    torch.cuda.nvtx.range_push(f"step:{number}")
    yield
    torch.cuda.nvtx.range_pop()
