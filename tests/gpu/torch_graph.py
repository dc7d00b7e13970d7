# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""A PyTorch program whose last two steps do the same: one by itself, one as the replay of a graph.

usage: torch_graph.py train|decode|generate|compiled
"train": AMP with a GradScaler, warm-up on a side stream, forward, backward and a fused optimizer in
one graph. "decode": a step of generation with a static cache. "generate": transformers' own
generate() with a static cache, compiled by torch's backend "cudagraphs", which runs PyTorch's own
kernels in graphs that it makes itself. "compiled": torch.compile with mode="reduce-overhead". Step 1
is eager, step 2 the replay.
"""
import sys

import torch
from torch import nn

from marked_step import marked_step


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm1 = nn.LayerNorm(width)
        self.attention = nn.MultiheadAttention(width, 8, batch_first=True)
        self.norm2 = nn.LayerNorm(width)
        self.mlp = nn.Sequential(
            nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width)
        )

    def forward(self, x):
        normed = self.norm1(x)
        x = x + self.attention(normed, normed, normed, need_weights=False)[0]
        return x + self.mlp(self.norm2(x))


class Model(nn.Module):
    def __init__(self, width=512, layers=3, classes=1000):
        super().__init__()
        self.blocks = nn.ModuleList(Block(width) for _ in range(layers))
        self.head = nn.Linear(width, classes)

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return self.head(x.mean(dim=1))


def capture(run):
    """Warms up on a side stream, then captures."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            run()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        run()
    return graph


def compare(run):
    for _ in range(3):
        run()
    with marked_step(1):
        run()
    graph = capture(run)
    graph.replay()
    with marked_step(2):
        graph.replay()


def train():
    model = Model().cuda()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True, capturable=True)
    scaler = torch.amp.GradScaler("cuda")
    x = torch.randn(16, 64, 512, device="cuda")
    target = torch.randint(0, 1000, (16,), device="cuda")

    def step():
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast("cuda", dtype=torch.float16, cache_enabled=False):
            loss = nn.functional.cross_entropy(model(x), target)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()

    compare(step)


def llama():
    from transformers import LlamaConfig, LlamaForCausalLM

    config = LlamaConfig(
        hidden_size=512,
        intermediate_size=1024,
        num_hidden_layers=4,
        num_attention_heads=8,
        num_key_value_heads=8,
        vocab_size=4096,
    )
    return LlamaForCausalLM(config).cuda().half().eval()


def decode():
    from transformers import StaticCache

    model = llama()
    cache = StaticCache(config=model.config, max_cache_len=128)
    with torch.no_grad():
        prompt = torch.randint(0, 4096, (4, 16), device="cuda")
        model(prompt, past_key_values=cache, cache_position=torch.arange(16, device="cuda"))
        token = torch.randint(0, 4096, (4, 1), device="cuda")
        position = torch.tensor([16], device="cuda")
        compare(lambda: model(token, past_key_values=cache, cache_position=position))


def generate():
    from transformers import CompileConfig

    model = llama()
    prompt = torch.randint(0, 4096, (4, 16), device="cuda")

    def run(**how):
        return model.generate(
            prompt,
            cache_implementation="static",
            max_new_tokens=8,
            min_new_tokens=8,
            do_sample=False,
            pad_token_id=0,
            **how
        )

    in_graphs = {"compile_config": CompileConfig(backend="cudagraphs", mode=None, fullgraph=False)}
    for _ in range(2):
        run(disable_compile=True)
    with marked_step(1):
        run(disable_compile=True)
    for _ in range(4):
        run(**in_graphs)
    with marked_step(2):
        run(**in_graphs)


def compiled():
    model = Model(layers=2).cuda().eval()
    fast = torch.compile(model, mode="reduce-overhead")
    x = torch.randn(16, 64, 512, device="cuda")
    with torch.no_grad():
        for _ in range(4):
            torch.compiler.cudagraph_mark_step_begin()
            fast(x)
        with marked_step(2):
            torch.compiler.cudagraph_mark_step_begin()
            fast(x)


if __name__ == "__main__":
    torch.manual_seed(1)
    {"train": train, "decode": decode, "generate": generate, "compiled": compiled}[sys.argv[1]]()
    print("done")
