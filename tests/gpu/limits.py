#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Programs whose kernels are limited by different things, and the check of what a report says.

run [NAME...]            runs some of them, or all that this torch can run
check PROF_REPORT TRACE  no kernel beats its roofline unsaid; what is unknown, by op; the kernels of
                         every convolution gradient that computes less than its op counts
"""

import json
import subprocess
import sys

KNOWN_SHARE = 98  # percent of the GPU's time


def elementwise(torch):
    x = torch.randn(1 << 21, device="cuda", requires_grad=True)
    torch.tanh(torch.relu(x + 1) * 2).sum().backward()
    w = torch.randn(1 << 26, device="cuda")  # larger than any L2
    (w * 2).relu_()


def convolution(torch):
    for tf32 in (False, True):
        torch.backends.cudnn.allow_tf32 = tf32
        conv = torch.nn.Conv2d(256, 256, 3, padding=1, device="cuda")
        x = torch.randn(2, 256, 25, 25, device="cuda", requires_grad=True)
        conv(x).sum().backward()


def detection(torch):
    import torchvision

    boxes = torch.rand(4000, 4, device="cuda") * 400
    boxes[:, 2:] += boxes[:, :2]
    torchvision.ops.nms(boxes, torch.rand(4000, device="cuda"), 0.5)
    x = torch.randn(2, 256, 100, 100, device="cuda", requires_grad=True)
    rois = torch.cat([torch.zeros(512, 1, device="cuda"), boxes[:512]], dim=1)
    torchvision.ops.roi_align(x, rois, 7, 0.25, 2).sum().backward()
    offset = torch.zeros(2, 18, 100, 100, device="cuda")
    weight = torch.randn(64, 256, 3, 3, device="cuda", requires_grad=True)
    torchvision.ops.deform_conv2d(x, offset, weight, padding=1).sum().backward()


def recurrent(torch):
    for kind in (torch.nn.LSTM, torch.nn.GRU):
        net = kind(256, 512, 2, bidirectional=True, device="cuda")
        net(torch.randn(100, 32, 256, device="cuda", requires_grad=True))[0].sum().backward()


def scaled(torch):
    a = torch.randn(4096, 4096, device="cuda").to(torch.float8_e4m3fn)
    b = torch.randn(4096, 4096, device="cuda").to(torch.float8_e4m3fn).t()
    one = torch.ones((), device="cuda")
    torch._scaled_mm(a, b, scale_a=one, scale_b=one, out_dtype=torch.bfloat16)
    torch._int_mm(
        torch.ones(512, 512, device="cuda", dtype=torch.int8),
        torch.ones(512, 512, device="cuda", dtype=torch.int8),
    )


def by_sample(torch):
    conv = torch.nn.Conv2d(1, 32, 3, padding=1, device="cuda")
    parameters = dict(conv.named_parameters())

    def loss(parameters, x):
        return torch.func.functional_call(conv, parameters, (x[None],)).square().sum()

    gradients = torch.func.vmap(torch.func.grad(loss), in_dims=(None, 0))
    gradients(parameters, torch.randn(64, 1, 28, 28, device="cuda"))


def scattered(torch):
    values = torch.randn(200_000, 64, device="cuda", requires_grad=True)
    index = torch.randint(0, 8000, (200_000, 1), device="cuda").expand(-1, 64)
    table = torch.zeros(8000, 64, device="cuda").scatter_add(0, index, values)
    table.sum().backward()
    bag = torch.nn.EmbeddingBag(100_000, 64, sparse=True, device="cuda")
    found = bag(torch.randint(0, 100_000, (4096, 16), device="cuda"))
    found.sum().backward()
    torch.optim.SparseAdam(bag.parameters()).step()


def transforms(torch):
    x = torch.randn(16, 160_000, device="cuda")
    torch.stft(x, 400, 160, window=torch.hann_window(400, device="cuda"), return_complex=True)


PROGRAMS = {
    run.__name__: run
    for run in (
        elementwise,
        convolution,
        detection,
        recurrent,
        scaled,
        by_sample,
        scattered,
        transforms,
    )
}


def run_programs(names):
    import torch

    for name in names or PROGRAMS:
        try:
            for _ in range(3):
                PROGRAMS[name](torch)
                torch.cuda.synchronize()
            print(f"ran {name}")
        except (ImportError, AttributeError, NotImplementedError) as problem:
            print(f"left out {name}: {problem}")


def rows_of(report, trace, sql):
    text = subprocess.run(
        [report, "-f", "json", "--sql", sql, trace], check=True, capture_output=True, text=True
    ).stdout
    return json.loads(text)


def check(report, trace):
    beaten = rows_of(
        report,
        trace,
        "SELECT idx, op, kernel, roofline_pct, bound, contradicts FROM "
        "attributed_kernels WHERE roofline_pct > 100 OR contradicts IS NOT NULL",
    )
    unsaid = [row for row in beaten if row["contradicts"] is None]
    for row in beaten:
        print(
            f"{row['op']}: {row['kernel'][:70]}: {row['roofline_pct']} % by {row['bound']}, "
            f"contradicts: {row['contradicts']}"
        )
    for row in rows_of(
        report,
        trace,
        "SELECT bound, count(*) AS n, sum(time_ns) / 1e3 AS us FROM "
        "attributed_kernels GROUP BY bound ORDER BY 3 DESC",
    ):
        print(f"bound {row['bound']}: {row['n']} kernels, {row['us']:.0f} us")
    unknown = rows_of(
        report,
        trace,
        "SELECT op, op_inner, dir, kernel, flops IS NULL AS no_flops, "
        "bytes IS NULL AS no_bytes, sum(time_ns) AS ns FROM attributed_kernels "
        "WHERE flops IS NULL OR bytes IS NULL GROUP BY 1, 2, 3, 4, 5, 6 "
        "ORDER BY ns DESC",
    )
    whole = rows_of(report, trace, "SELECT sum(time_ns) AS ns FROM attributed_kernels")[0]["ns"]
    known = 100 - 100 * sum(row["ns"] for row in unknown) / whole
    for row in unknown[:20]:
        print(
            f"unknown: {row['op']} ({row['op_inner']}, {row['dir']}), {row['kernel'][:60]}: "
            f"{'FLOPs ' if row['no_flops'] else ''}{'bytes ' if row['no_bytes'] else ''}"
            f"{row['ns'] / 1e3:.1f} us"
        )
    print(f"FLOPs and bytes are known for {known:.1f} % of the GPU's time")
    by_less = rows_of(
        report,
        trace,
        "SELECT op, params, kernel, role, time_us, flops FROM attributed_kernels "
        "WHERE op_id IN (SELECT op_id FROM attributed_kernels WHERE contradicts "
        "LIKE '%algorithm%') ORDER BY idx",
    )
    for row in by_less[:24]:
        print(
            f"computes less: {row['op']} {row['params']}: {row['kernel'][:80]}, {row['role']}, "
            f"{row['time_us']} us"
        )
    print(f"{len(unsaid)} kernels beat their roofline unsaid")
    return 1 if unsaid or known < KNOWN_SHARE else 0


def main():
    if sys.argv[1] == "run":
        run_programs(sys.argv[2:])
        return 0
    return check(*sys.argv[2:4])


if __name__ == "__main__":
    sys.exit(main())
