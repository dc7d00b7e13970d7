#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""The collectives that nccl-tests measures, by torch.distributed, again and again. Sizes are
nccl-tests'. One process a GPU: RANK, LOCAL_RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT."""
import datetime
import os

import torch
import torch.distributed as dist

SIZES = [1 << power for power in (20, 22, 24, 26, 28)]
TIMES = 45


def main():
    rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    dist.init_process_group("nccl", device_id=device, timeout=datetime.timedelta(seconds=60))
    source = torch.zeros(SIZES[-1] // 4, device=device)
    target = torch.zeros_like(source)

    def exchange(size):
        for work in dist.batch_isend_irecv(
            [
                dist.P2POp(dist.isend, source[:size], (rank + 1) % world),
                dist.P2POp(dist.irecv, target[:size], (rank - 1) % world),
            ]
        ):
            work.wait()

    collectives = [
        lambda size: dist.all_reduce(target[:size]),
        lambda size: dist.all_gather_into_tensor(target[:size], source[: size // world]),
        lambda size: dist.reduce_scatter_tensor(target[: size // world], source[:size]),
        lambda size: dist.all_to_all_single(target[:size], source[:size]),
        exchange,
    ]
    for collective in collectives:
        for size in SIZES:
            for _ in range(TIMES):
                collective(size // 4)
            torch.cuda.synchronize()
    dist.destroy_process_group()


main()
