# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Modules of live_models.py that no package has, or that are here without the package."""
import torch
from torch import nn
from torch.nn import functional as F


class Lora(nn.Module):
    def __init__(self, base, rank=8):
        super().__init__()
        self.base = base.requires_grad_(False)
        self.down = nn.Linear(base.in_features, rank, bias=False)
        self.up = nn.Linear(rank, base.out_features, bias=False)

    def forward(self, inputs):
        return self.base(inputs) + self.up(self.down(inputs))


class GraphLayer(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.own, self.others = nn.Linear(width, width), nn.Linear(width, width)

    def forward(self, nodes, edges):
        sent = self.others(nodes)[edges[0]]
        received = torch.zeros_like(nodes).index_add_(0, edges[1], sent)
        return F.relu(self.own(nodes) + received)


class GraphAttention(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.project, self.score = nn.Linear(width, width), nn.Linear(2 * width, 1)

    def forward(self, nodes, edges):
        mapped = self.project(nodes)
        pairs = torch.cat([mapped[edges[0]], mapped[edges[1]]], 1)
        weight = F.leaky_relu(self.score(pairs)).exp()
        total = torch.zeros(len(nodes), 1, device=nodes.device).scatter_add(
            0, edges[1][:, None], weight
        )
        weight = weight / total[edges[1]].clamp_min(1e-6)
        spread = edges[1][:, None].expand(-1, mapped.shape[1])
        return torch.zeros_like(mapped).scatter_add(0, spread, weight * mapped[edges[0]])


class Graph(nn.Module):
    def __init__(self, layer, width=128):
        super().__init__()
        self.layers = nn.ModuleList(layer(width) for _ in range(3))
        self.classes = nn.Linear(width, 16)

    def forward(self, nodes, edges):
        for layer in self.layers:
            nodes = layer(nodes, edges)
        return self.classes(nodes)


class Speech(nn.Module):
    def __init__(self):
        super().__init__()
        self.convolve = nn.Conv1d(201, 256, 3, stride=2, padding=1)
        self.recur = nn.LSTM(256, 256, 2, bidirectional=True, batch_first=True)
        self.letters = nn.Linear(512, 32)
        self.register_buffer("window", torch.hann_window(400))

    def forward(self, sound):
        spectrum = torch.stft(sound, 400, 160, window=self.window, return_complex=True).abs()
        hidden = F.relu(self.convolve(spectrum.clamp_min(1e-5).log()))
        return self.letters(self.recur(hidden.transpose(1, 2))[0]).log_softmax(-1)


class Fp8Linear(nn.Module):
    def __init__(self, width):
        super().__init__()
        weight = torch.randn(width, width, device="cuda").to(torch.float8_e4m3fn)
        self.register_buffer("weight", weight)
        self.register_buffer("scale", torch.ones((), device="cuda"))

    def forward(self, inputs):
        packed = inputs.clamp(-448, 448).to(torch.float8_e4m3fn)
        return torch._scaled_mm(
            packed, self.weight.t(), self.scale, self.scale, out_dtype=torch.bfloat16
        )


class Int8Linear(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.register_buffer(
            "weight", torch.randint(-127, 127, (width, width), device="cuda", dtype=torch.int8)
        )

    def forward(self, inputs):
        scale = inputs.abs().amax(1, keepdim=True) / 127
        packed = (inputs / scale).round().to(torch.int8)
        return torch._int_mm(packed, self.weight).to(inputs.dtype) * scale * 0.01


class Bags(nn.Module):
    def __init__(self):
        super().__init__()
        self.tables = nn.ModuleList(
            nn.EmbeddingBag(200_000, 64, mode="sum", sparse=True) for _ in range(8)
        )
        self.top = nn.Sequential(nn.Linear(512, 256), nn.ReLU(), nn.Linear(256, 1))

    def forward(self, indices, offsets):
        return self.top(torch.cat([table(indices, offsets) for table in self.tables], 1))


class Words(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(10_000, 512)
        self.recur = nn.GRU(512, 512, 2, batch_first=True)
        self.top = nn.Linear(512, 10_000)

    def forward(self, tokens):
        return self.top(self.recur(self.words(tokens))[0])


class Expert(nn.Sequential):
    def __init__(self, width):
        super().__init__(nn.Linear(width, 4 * width), nn.SiLU(), nn.Linear(4 * width, width))


class Experts(nn.Module):
    def __init__(self, width=512, experts=8):
        super().__init__()
        self.gate = nn.Linear(width, experts)
        self.experts = nn.ModuleList(Expert(width) for _ in range(experts))

    def forward(self, tokens):
        weights, chosen = self.gate(tokens).softmax(-1).topk(2)
        out = torch.zeros_like(tokens)
        for number, expert in enumerate(self.experts):
            rows, place = torch.where(chosen == number)
            out = out.index_add(0, rows, expert(tokens[rows]) * weights[rows, place, None])
        return out
