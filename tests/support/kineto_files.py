# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Writes small files of the form that torch.profiler exports, event by event. Times are microseconds."""
import gzip
import json

H100 = {
    "id": 0,
    "name": "NVIDIA H100 80GB HBM3",
    "totalGlobalMem": 84942979072,
    "computeMajor": 9,
    "computeMinor": 0,
    "numSms": 132,
}
PRODUCT = (
    "sm90_xmma_gemm_f32f32_tf32f32_f32_tn_n_tilesize128x128x32_warpgroupsize1x1x1_execute_"
    "segment_k_off_kernel__5x_cublas"
)
ELEMENTWISE = (
    "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, "
    "std::array<char*, 3ul> >(int, at::native::CUDAFunctor_add<float>, std::array<char*, 3ul>)"
)
PROGRAM, AUTOGRAD = 10, 11  # threads


def shapes(dims, types, values=None):
    return {"Input Dims": dims, "Input type": types, "Concrete Inputs": values or [""] * len(dims)}


# 64 x 128 times 128 x 32: M=32, N=64, K=128.
MM = shapes([[64, 128], [128, 32]], ["float", "float"])
MM_FLOPS = 2 * 64 * 32 * 128


def pair(count):
    """The arguments of an op on two vectors."""
    return shapes([[count], [count]], ["float", "float"])


class File:
    def __init__(self, **facts):
        self.facts = {"schemaVersion": 1, "deviceProperties": [H100], **facts}
        self.events = []
        self.next = 100  # correlation

    def add(self, category, name, ts, dur, tid=PROGRAM, pid=10, args=None, **fields):
        event = {
            "ph": "X",
            "cat": category,
            "name": name,
            "pid": pid,
            "tid": tid,
            "ts": ts,
            "dur": dur,
        }
        if args is not None:
            event["args"] = args
        self.events.append({**event, **fields})

    def op(
        self, name, ts, dur, args=None, number=None, seq=None, fwd=None, category="cpu_op", **where
    ):
        made = dict(args or {})
        for key, value in (
            ("External id", number),
            ("Sequence number", seq),
            ("Fwd thread id", fwd),
        ):
            if value is not None:
                made[key] = value
        self.add(category, name, ts, dur, args=made, **where)

    def annotation(self, name, ts, dur, args=None, **where):
        self.add("user_annotation", name, ts, dur, args=args, **where)

    def call(self, ts, name="cudaLaunchKernel", dur=3, correlation=None, **where):
        """Returns the correlation."""
        if correlation is None:
            correlation, self.next = self.next, self.next + 1
        self.add("cuda_runtime", name, ts, dur, args={"correlation": correlation}, **where)
        return correlation

    def work(
        self, name, ts, dur, correlation, device=0, stream=7, category="kernel", pid=None, **args
    ):
        self.add(
            category,
            name,
            ts,
            dur,
            tid=stream,
            pid=device if pid is None else pid,
            args={
                "device": device,
                "context": 1,
                "stream": stream,
                "correlation": correlation,
                "grid": [64, 1, 1],
                "block": [128, 1, 1],
                **args,
            },
        )

    def launch(
        self,
        name,
        called,
        ts,
        dur,
        args=None,
        stream=7,
        device=0,
        call="cudaLaunchKernel",
        gpu_pid=None,
        **where
    ):
        """A call and the kernel that it launches."""
        correlation = self.call(called, call, **where)
        self.work(name, ts, dur, correlation, device, stream, pid=gpu_pid, **(args or {}))

    def memory(self, ts, size, allocated, reserved, device_type=1, device=0):
        """A block that the allocator hands out, or takes back if its size is below 0."""
        self.events.append(
            {
                "ph": "i",
                "s": "t",
                "cat": "cpu_instant_event",
                "name": "[memory]",
                "pid": 10,
                "tid": PROGRAM,
                "ts": ts,
                "args": {
                    "Total Reserved": reserved,
                    "Total Allocated": allocated,
                    "Bytes": size,
                    "Addr": 140000000000,
                    "Device Id": device,
                    "Device Type": device_type,
                },
            }
        )

    def text(self):
        return json.dumps({**self.facts, "traceEvents": self.events})

    def write(self, path, text=None):
        data = (text if text is not None else self.text()).encode()
        path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
