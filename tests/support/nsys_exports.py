#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Writes small made-up exports of Nsight Systems, for tests.

usage: nsys_exports.py NAME EXPORT.sqlite

NAME: one of EXPORTS. Columns are those of real exports; what a row does not name is NULL."""
import pathlib
import sqlite3
import sys

TIMES = ("start", "end")
PLACE = ("deviceId", "contextId", "greenContextId", "streamId", "correlationId", "globalPid")
COLUMNS = {
    "StringIds": ("id", "value"),
    "CUPTI_ACTIVITY_KIND_KERNEL": TIMES
    + PLACE
    + (
        "demangledName",
        "shortName",
        "mangledName",
        "launchType",
        "cacheConfig",
        "registersPerThread",
        "gridX",
        "gridY",
        "gridZ",
        "blockX",
        "blockY",
        "blockZ",
        "staticSharedMemory",
        "dynamicSharedMemory",
        "localMemoryPerThread",
        "localMemoryTotal",
        "gridId",
        "sharedMemoryExecuted",
        "graphNodeId",
        "sharedMemoryLimitConfig",
        "graphId",
        "clusterX",
        "clusterY",
        "clusterZ",
    ),
    "CUPTI_ACTIVITY_KIND_MEMCPY": TIMES
    + PLACE
    + (
        "bytes",
        "copyKind",
        "deprecatedSrcId",
        "srcKind",
        "dstKind",
        "srcDeviceId",
        "srcContextId",
        "dstDeviceId",
        "dstContextId",
        "migrationCause",
        "graphNodeId",
        "virtualAddress",
        "copyCount",
    ),
    "CUPTI_ACTIVITY_KIND_MEMSET": TIMES + PLACE + ("value", "bytes", "graphNodeId", "memKind"),
    "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION": TIMES
    + PLACE
    + ("deprecatedSyncType", "syncType", "eventId", "eventSyncId"),
    "CUPTI_ACTIVITY_KIND_GRAPH_TRACE": TIMES + PLACE + ("graphId", "graphExecId"),
    "CUPTI_ACTIVITY_KIND_RUNTIME": TIMES
    + ("eventClass", "globalTid", "correlationId", "nameId", "returnValue", "callchainId"),
    "CUDA_GRAPH_NODE_EVENTS": TIMES
    + ("eventClass", "globalTid", "nameId", "graphNodeId", "originalGraphNodeId"),
    "NVTX_EVENTS": TIMES
    + (
        "eventType",
        "rangeId",
        "category",
        "color",
        "text",
        "globalTid",
        "endGlobalTid",
        "textId",
        "domainId",
        "uint64Value",
        "int64Value",
        "doubleValue",
        "uint32Value",
        "int32Value",
        "floatValue",
        "jsonTextId",
        "jsonText",
        "binaryData",
    ),
    "CUPTI_ACTIVITY_KIND_OVERHEAD": TIMES
    + ("eventClass", "globalTid", "correlationId", "nameId", "overheadType"),
    "PROFILER_OVERHEAD": TIMES + ("globalTid", "nameId", "overheadType"),
    "MPI_P2P_EVENTS": TIMES + ("globalTid", "textId"),
    "GPU_METRICS": ("timestamp", "typeId", "metricId", "value"),
    "OSRT_API": TIMES + ("eventClass", "globalTid", "nameId", "returnValue"),
    **{
        name: ("id", "name", "label")
        for name in (
            "ENUM_CUPTI_OVERHEAD_TYPE",
            "ENUM_CUPTI_SYNC_TYPE",
            "ENUM_CUDA_MEM_KIND",
            "ENUM_CUDA_MEMCPY_OPER",
            "ENUM_NSYS_EVENT_TYPE",
            "ENUM_NSYS_EVENT_CLASS",
        )
    },
    "ThreadNames": ("nameId", "priority", "globalTid"),
    "PROCESSES": ("globalPid", "pid", "name"),
    "DIAGNOSTIC_EVENT": ("timestamp", "timestampType", "source", "severity", "text", "globalPid"),
    "META_DATA_EXPORT": ("name", "value"),
    "META_DATA_CAPTURE": ("name", "value"),
    "TARGET_INFO_SESSION_START_TIME": ("utcEpochNs", "utcTime", "localTime"),
    "TARGET_INFO_SYSTEM_ENV": ("globalVid", "devStateName", "name", "nameEnum", "value"),
    "TARGET_INFO_CUDA_DEVICE": ("gpuId", "cudaId", "pid", "uuid", "numMultiprocessors"),
    "TARGET_INFO_GPU": (
        "vmId",
        "id",
        "name",
        "busLocation",
        "isDiscrete",
        "l2CacheSize",
        "totalMemory",
        "memoryBandwidth",
        "clockRate",
        "smCount",
        "pwGpuId",
        "uuid",
        "luid",
        "chipName",
        "cuDevice",
        "computeMajor",
        "computeMinor",
    ),
}
TEXT = {"value", "text", "name", "label", "jsonText", "binaryData", "uuid", "utcTime", "localTime"}
PUSH_POP, START_END, MARK, CATEGORY, THREAD, DOMAIN = 59, 60, 34, 33, 39, 75
START_NS = 1_700_000_000_000_000_000
VM = 1 << 48


def pid(number):
    return VM | number << 24


def tid(process, thread):
    return pid(process) | thread


class Export:
    """Rows are given by column; a table exists once it has a row."""

    def __init__(self, path, columns=None, null_is=None):
        pathlib.Path(path).unlink(missing_ok=True)
        self.db = sqlite3.connect(path)
        self.columns = columns or COLUMNS
        self.null_is = null_is
        self.strings = {}
        self.made = set()

    def row(self, table, **values):
        columns = self.columns[table]
        if table not in self.made:
            self.made.add(table)
            self.db.execute(
                f"CREATE TABLE {table} "
                f"({', '.join(self.declared(table, column) for column in columns)})"
            )
        odd = set(values) - set(columns)
        if odd:
            raise ValueError(f"{table} has no {odd}")
        given = [values.get(column, self.null_is) for column in columns]
        self.db.execute(f"INSERT INTO {table} VALUES ({','.join('?' * len(given))})", given)

    @staticmethod
    def declared(table, column):
        is_number = column not in TEXT or table == "CUPTI_ACTIVITY_KIND_MEMSET"
        kind = "INTEGER" if is_number else "TEXT"
        return f'"{column}" {kind}' + (" PRIMARY KEY" if column == "id" else "")

    def text(self, value):
        if value not in self.strings:
            self.strings[value] = 100 + len(self.strings)
            self.row("StringIds", id=self.strings[value], value=value)
        return self.strings[value]

    def launch(
        self,
        at,
        process=10,
        thread=11,
        correlation=1,
        name="_Z3fooi",
        function=None,
        delay=100,
        length=1000,
        **facts,
    ):
        """A kernel and the call that launched it."""
        self.call(at, process, thread, correlation, function or "cudaLaunchKernel_v7000")
        known = {
            "deviceId": 0,
            "contextId": 1,
            "streamId": 7,
            "gridX": 4,
            "gridY": 2,
            "gridZ": 1,
            "blockX": 128,
            "blockY": 1,
            "blockZ": 1,
            "registersPerThread": 32,
            "staticSharedMemory": 16,
            "dynamicSharedMemory": 48,
            "localMemoryPerThread": 0,
            "localMemoryTotal": 0,
            "gridId": 1,
        } | facts
        self.row(
            "CUPTI_ACTIVITY_KIND_KERNEL",
            start=at + delay,
            end=at + delay + length,
            correlationId=correlation,
            globalPid=pid(process),
            shortName=self.text("foo"),
            demangledName=self.text("foo(int)"),
            mangledName=self.text(name),
            **known,
        )

    def call(self, at, process, thread, correlation, function, length=50, result=0, driver=False):
        self.row(
            "CUPTI_ACTIVITY_KIND_RUNTIME",
            start=at,
            end=at + length,
            eventClass=int(driver),
            globalTid=tid(process, thread),
            correlationId=correlation,
            nameId=self.text(function),
            returnValue=result,
        )

    def range(self, start, end, text, thread=11, process=10, kind=PUSH_POP, **facts):
        self.row(
            "NVTX_EVENTS",
            start=start,
            end=end,
            eventType=kind,
            text=text,
            globalTid=tid(process, thread),
            **({"domainId": 0} | facts),
        )

    def session(self, version="2026.2.1.210", schema="3.25.0", **metas):
        self.row("META_DATA_EXPORT", name="EXPORT_PRODUCT_VERSION", value=version)
        self.row("META_DATA_EXPORT", name="EXPORT_SCHEMA_VERSION", value=schema)
        for name, value in metas.items():
            self.row("META_DATA_EXPORT", name=name, value=value)
        self.row("TARGET_INFO_SESSION_START_TIME", utcEpochNs=START_NS)

    def close(self):
        self.db.commit()
        self.db.close()


def current(path):
    """One process with every table that is read, as nsys 2026.2 exports it."""
    export = Export(path)
    export.session()
    export.row("TARGET_INFO_SYSTEM_ENV", name="Hostname", value="node7")
    export.row("TARGET_INFO_SYSTEM_ENV", name="CudaDriverVersion", value="13010")
    export.row("META_DATA_CAPTURE", name="PROCESS_0:ENVIRONMENT_VARIABLE", value='RANK="3"')
    export.row("META_DATA_CAPTURE", name="PROCESS_0:ENVIRONMENT_VARIABLE", value='HOME="/root"')
    export.row("PROCESSES", globalPid=pid(10), pid=10, name="/usr/bin/train")
    export.row("PROCESSES", globalPid=pid(2), pid=2, name="nsys")
    export.row("ThreadNames", nameId=export.text("trainer"), priority=20, globalTid=tid(10, 11))
    export.row("TARGET_INFO_CUDA_DEVICE", gpuId=5, cudaId=0, pid=10)
    for number, name in ((5, "NVIDIA H100 80GB HBM3"), (6, "another")):
        export.row(
            "TARGET_INFO_GPU",
            id=number,
            name=name,
            cuDevice=number,
            smCount=132,
            uuid="00000000-1111-2222-3333-444444444444",
            clockRate=1_980_000_000,
            totalMemory=85_000_000_000,
            memoryBandwidth=3_350_000_000_000,
            l2CacheSize=52_428_800,
            computeMajor=9,
            computeMinor=0,
        )
    export.row(
        "NVTX_EVENTS", start=1, eventType=DOMAIN, text="lib", domainId=2, globalTid=tid(10, 11)
    )
    export.row(
        "NVTX_EVENTS",
        start=1,
        eventType=CATEGORY,
        text="io",
        domainId=2,
        category=4,
        globalTid=tid(10, 11),
    )
    export.row("NVTX_EVENTS", start=1, eventType=THREAD, text="loader", globalTid=tid(10, 12))
    export.range(1_000, 90_000, "step:1")
    export.range(2_000, 40_000, "layer:fc1")
    export.range(2_500, 39_000, "read", color=-16711936, category=4, domainId=2, uint64Value=0)
    export.range(3_000, 30_000, "aten::addmm, seq = 7, op_id = 21, sizes = [[16], [4, 8], [8, 16]]")
    export.range(5_000, 6_000, None, textId=export.text("registered"), int32Value=-5)
    export.range(60_000, 80_000, "aten::relu, op_id = 22, sizes = [[4, 16]]")
    export.range(500, 70_000, "epoch", kind=START_END, rangeId=1, endGlobalTid=tid(10, 12))
    export.range(85_000, None, "never closed", doubleValue=2.5)
    export.range(30_500, None, "a moment", kind=MARK, domainId=2, floatValue=1.5)
    export.range(30_600, None, "on another thread", thread=12, kind=MARK)
    export.launch(
        10_000, correlation=41, name="_Z4gemmi", launchType=2, clusterX=2, clusterY=1, clusterZ=1
    )
    export.launch(61_000, correlation=42, function="cuLaunchKernelEx_ptsz")
    export.launch(95_000, correlation=43, thread=12)
    export.call(20_000, 10, 11, 50, "cudaMemcpyAsync_v3020")
    export.row(
        "CUPTI_ACTIVITY_KIND_MEMCPY",
        start=20_500,
        end=21_500,
        deviceId=0,
        contextId=1,
        streamId=7,
        correlationId=50,
        globalPid=pid(10),
        bytes=4096,
        copyKind=1,
        srcKind=1,
        dstKind=2,
        copyCount=1,
    )
    export.row(
        "CUPTI_ACTIVITY_KIND_MEMCPY",
        start=21_500,
        end=22_500,
        deviceId=0,
        contextId=1,
        streamId=7,
        correlationId=0,
        globalPid=pid(10),
        bytes=64,
        copyKind=10,
        srcKind=2,
        dstKind=2,
        dstDeviceId=3,
    )
    export.call(23_000, 10, 11, 51, "cudaMemsetAsync_v3020", result=1)
    export.row(
        "CUPTI_ACTIVITY_KIND_MEMSET",
        start=23_500,
        end=23_900,
        deviceId=0,
        contextId=1,
        streamId=7,
        correlationId=51,
        globalPid=pid(10),
        value=7,
        bytes=32,
        memKind=7,
    )
    export.call(50_000, 10, 11, 52, "cudaStreamSynchronize_v3020", length=5_000)
    export.row(
        "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
        start=50_100,
        end=54_900,
        deviceId=0,
        contextId=1,
        streamId=7,
        correlationId=52,
        globalPid=pid(10),
        syncType=3,
        eventId=4294967295,
    )
    for number, name in ((0, "OVERHEAD_UNDEFINED"), (7, "OVERHEAD_LAZY_FUNCTION_LOADING")):
        export.row("ENUM_CUPTI_OVERHEAD_TYPE", id=number, name=name, label=name)
    export.row(
        "CUPTI_ACTIVITY_KIND_OVERHEAD",
        start=9_000,
        end=9_500,
        globalTid=tid(10, 11),
        nameId=export.text("Lazy Function Loading"),
        overheadType=7,
    )
    export.row(
        "PROFILER_OVERHEAD",
        start=100,
        end=200,
        globalTid=tid(10, 13),
        nameId=export.text("initialization"),
        overheadType=0,
    )
    export.row("DIAGNOSTIC_EVENT", timestamp=1, severity=1, text="Profiling has started.")
    export.row("DIAGNOSTIC_EVENT", timestamp=2, severity=3, text="Not all events were collected.")
    for start, thread, length in ((5_200, 11, 300), (30_700, 12, 200)):
        export.row(
            "OSRT_API",
            start=start,
            end=start + length,
            eventClass=27,
            globalTid=tid(10, thread),
            nameId=export.text("poll"),
        )
    export.row("OSRT_API", start=40, end=90, globalTid=tid(2, 2), nameId=export.text("waitpid"))
    export.row("MPI_P2P_EVENTS", start=1, end=2, globalTid=tid(10, 11))
    export.close()


def processes(path):
    """Two processes with equal numbers in everything else; a third without events."""
    export = Export(path)
    fill_processes(export)
    export.close()


def fill_processes(export):
    export.session(schema="3.24.14")
    for number in (20, 30, 40):
        export.row("PROCESSES", globalPid=pid(number), pid=number, name=f"rank{number}")
    for number, gpu in ((20, 0), (30, 1)):
        export.row("TARGET_INFO_CUDA_DEVICE", gpuId=gpu, cudaId=0, pid=number)
        export.row("TARGET_INFO_GPU", id=gpu, name=f"GPU {gpu}", smCount=100 + gpu)
        export.row(
            "NVTX_EVENTS",
            start=1,
            eventType=DOMAIN,
            text=f"of {number}",
            domainId=1,
            globalTid=tid(number, 5),
        )
        export.range(1_000, 9_000, f"layer:of{number}", process=number, thread=5)
        export.range(1_200, 8_500, "of a library", process=number, thread=5, domainId=1)
        export.range(1_500, 8_000, "aten::addmm, seq = 7, op_id = 21", process=number, thread=5)
        for i in range(number // 10):
            export.launch(2_000 + i * 1_000, number, 5, correlation=1 + i, length=number)


def strays(path):
    """The same with rows of no process, and of the third."""
    export = Export(path)
    fill_processes(export)
    for text, owner in (
        ("of all", None),
        ("of 20", pid(20)),
        ("of 30", pid(30)),
        ("of 40", pid(40)),
    ):
        export.row("DIAGNOSTIC_EVENT", timestamp=1, severity=2, text=text, globalPid=owner)
    for i, thread in enumerate((None, tid(20, 5), tid(30, 5), tid(30, 5), tid(40, 5), tid(40, 5))):
        start, end = 100 * i, 100 * i + 10 + i
        export.row("PROFILER_OVERHEAD", start=start, end=end, globalTid=thread)
        export.row("CUPTI_ACTIVITY_KIND_OVERHEAD", start=start, end=end + 10, globalTid=thread)
        export.row("CUDA_GRAPH_NODE_EVENTS", start=start, globalTid=thread, graphNodeId=1 + i)
        export.row("MPI_P2P_EVENTS", start=start, end=end, globalTid=thread)
        export.row("GPU_METRICS", timestamp=start)
    export.row("ThreadNames", nameId=export.text("of 40"), globalTid=tid(40, 5))
    export.close()


def old(path):
    """One process as nsys before 2023 exports it: fewer columns, none of them NULL."""
    columns = {
        "StringIds": ("id", "value"),
        "CUPTI_ACTIVITY_KIND_KERNEL": TIMES
        + (
            "deviceId",
            "contextId",
            "streamId",
            "correlationId",
            "globalPid",
            "demangledName",
            "shortName",
            "registersPerThread",
            "gridX",
            "gridY",
            "gridZ",
            "blockX",
            "blockY",
            "blockZ",
            "staticSharedMemory",
            "dynamicSharedMemory",
            "localMemoryPerThread",
        ),
        "CUPTI_ACTIVITY_KIND_RUNTIME": TIMES
        + ("eventClass", "globalTid", "correlationId", "nameId", "returnValue"),
        "NVTX_EVENTS": TIMES
        + (
            "eventType",
            "rangeId",
            "category",
            "color",
            "text",
            "globalTid",
            "endGlobalTid",
            "textId",
            "domainId",
            "uint64Value",
            "int64Value",
            "doubleValue",
            "uint32Value",
            "int32Value",
            "floatValue",
        ),
        "EXPORT_META_DATA": ("name", "value"),
    }
    export = Export(path, columns, null_is=0)
    export.row("EXPORT_META_DATA", name="EXPORT_SCHEMA_VERSION", value="2.9.1")
    export.range(1_000, 9_000, "layer:a")
    export.range(2_000, 8_000, "", textId=export.text("registered"), uint64Value=9)
    export.range(8_500, 0, "open")
    export.call(3_000, 10, 11, 5, "cudaLaunchKernel_v7000")
    export.row(
        "CUPTI_ACTIVITY_KIND_KERNEL",
        start=4_000,
        end=5_000,
        contextId=1,
        streamId=7,
        correlationId=5,
        globalPid=pid(10),
        shortName=export.text("foo"),
        demangledName=export.text("void foo<(int)4>(float *)"),
        registersPerThread=16,
        gridX=1,
        gridY=1,
        gridZ=1,
        blockX=32,
        blockY=1,
        blockZ=1,
    )
    export.close()


def graphs(path):
    """Graphs: nodes that were created under ranges, and a launch that is recorded as a whole."""
    export = Export(path)
    export.session()
    node, copy = 3 << 32 | 1, 4 << 32 | 1
    export.range(1_000, 5_000, "layer:captured")
    export.row(
        "CUDA_GRAPH_NODE_EVENTS",
        start=2_000,
        end=2_010,
        globalTid=tid(10, 11),
        nameId=export.text("cudaGraphAddKernelNode"),
        graphNodeId=node,
    )
    export.row(
        "CUDA_GRAPH_NODE_EVENTS",
        start=6_000,
        end=6_010,
        globalTid=tid(10, 11),
        nameId=export.text("cudaGraphInstantiate"),
        graphNodeId=copy,
        originalGraphNodeId=node,
    )
    export.range(10_000, 30_000, "step:1")
    export.launch(
        11_000, correlation=5, function="cudaGraphLaunch_v10000", graphNodeId=copy, graphId=4
    )
    export.call(20_000, 10, 11, 6, "cudaGraphLaunch_v10000")
    export.row(
        "CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
        start=20_100,
        end=25_100,
        deviceId=0,
        contextId=1,
        streamId=7,
        correlationId=6,
        globalPid=pid(10),
        graphId=9,
        graphExecId=2,
    )
    export.close()


def damaged(path):
    """Rows that nsys does not write, beside some that it does."""
    export = Export(path)
    export.session()
    export.range(1_000, 9_000, "good")
    export.launch(2_000, correlation=1)
    export.launch(3_000, correlation=2, length=-5_000)
    export.launch(4_000, correlation=3, gridX="wide")
    export.row("CUPTI_ACTIVITY_KIND_KERNEL", start="soon", end=5, globalPid=pid(10))
    export.row(
        "CUPTI_ACTIVITY_KIND_KERNEL", start=5_000, end=5_010, globalPid=pid(10), mangledName=7
    )
    export.row("CUPTI_ACTIVITY_KIND_RUNTIME", start=6_000, end=6_010, correlationId=9)
    export.range(None, 5, "no start")
    export.range(9, 5, "ends first")
    export.range(5_000, 5_100, None, textId=77)
    export.row("NVTX_EVENTS", start=5, end=6, eventType=PUSH_POP, text="no thread")
    export.row("NVTX_EVENTS", start=5, end=6, text="no type", globalTid=tid(10, 11))
    export.row(
        "NVTX_EVENTS", start=5, end=6, eventType=72, text="of another kind", globalTid=tid(10, 11)
    )
    export.range(5_200, 5_300, "with JSON", jsonText='{"a":"b"}')
    export.close()


WORDS = {
    "ENUM_CUPTI_OVERHEAD_TYPE": {
        0: ("OVERHEAD_UNDEFINED", "Undefined"),
        1: ("OVERHEAD_UNKNOWN", "Unknown"),
        3: ("OVERHEAD_CUPTI_BUFFER_FLUSH", "Buffer flush (Profiler)"),
        7: ("OVERHEAD_LAZY_FUNCTION_LOADING", "Lazy function loading (CUDA)"),
    },
    "ENUM_CUPTI_SYNC_TYPE": {
        1: ("CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_EVENT_SYNCHRONIZE", "Event sync"),
        2: ("CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_WAIT_EVENT", "Stream wait sync"),
        3: ("CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE", "Stream sync"),
        4: ("CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE", "Context sync"),
    },
    "ENUM_CUDA_MEM_KIND": {
        0: ("CUDA_MEMOPR_MEMORY_KIND_PAGEABLE", "Pageable"),
        2: ("CUDA_MEMOPR_MEMORY_KIND_DEVICE", "Device"),
        7: ("CUDA_MEMOPR_MEMORY_KIND_UNKNOWN", "Unknown"),
    },
    "ENUM_CUDA_MEMCPY_OPER": {
        1: ("CUDA_MEMCPY_KIND_HTOD", "Host-to-Device"),
        10: ("CUDA_MEMCPY_KIND_PTOP", "Peer-to-Peer"),
    },
    "ENUM_NSYS_EVENT_TYPE": {
        number: (word, word)
        for number, word in (
            (CATEGORY, "NvtxCategory"),
            (MARK, "NvtxMark"),
            (PUSH_POP, "NvtxPushPopRange"),
            (START_END, "NvtxStartEndRange"),
            (DOMAIN, "NvtxDomainCreate"),
        )
    },
    "ENUM_NSYS_EVENT_CLASS": {
        0: ("TRACE_PROCESS_EVENT_CUDA_RUNTIME", "CUDA runtime"),
        1: ("TRACE_PROCESS_EVENT_CUDA_DRIVER", "CUDA driver"),
        27: ("TRACE_PROCESS_EVENT_OS_RUNTIME", "OSRT runtime"),
        77: ("TRACE_PROCESS_EVENT_CUDA_GRAPH_NODE_CREATION", "CUDA graph node creation"),
        103: ("TRACE_PROCESS_EVENT_CUDA_OVERHEAD", "CUDA overhead"),
    },
}


def scripted(path):
    """Two processes with all that a trace answers scripts about."""
    export = Export(path)
    export.session()
    for table, words in WORDS.items():
        for number, (name, label) in words.items():
            export.row(table, id=number, name=name, label=label)
    for number, gpu in ((20, 0), (30, 1)):
        fill_scripted(export, number, gpu)
    export.close()


def fill_scripted(export, process, gpu):
    owner, thread = pid(process), tid(process, 5)
    place = {"deviceId": gpu, "contextId": 1 + gpu, "streamId": 7, "globalPid": owner}
    none = 0xFFFFFFFF
    export.row("PROCESSES", globalPid=owner, pid=process, name=f"rank{process}")
    export.row("ThreadNames", nameId=export.text(f"main{process}"), globalTid=thread)
    export.row("TARGET_INFO_CUDA_DEVICE", gpuId=gpu, cudaId=gpu, pid=process)
    export.row(
        "TARGET_INFO_GPU",
        id=gpu,
        cuDevice=gpu,
        name=f"GPU {gpu}",
        computeMajor=9,
        computeMinor=0,
        clockRate=1_980_000_000 if gpu else None,
        uuid="00000000-1111-2222-3333-444444444444" if gpu else None,
    )
    export.row(
        "NVTX_EVENTS", start=1, eventType=DOMAIN, text=f"of {process}", domainId=1, globalTid=thread
    )
    for domain, name in ((0, "io"), (1, f"loads of {process}")):
        export.row(
            "NVTX_EVENTS",
            start=1,
            eventType=CATEGORY,
            text=name,
            domainId=domain,
            category=4,
            globalTid=thread,
        )
        export.range(
            1_000 + domain,
            9_000,
            "read",
            process=process,
            thread=5,
            domainId=domain,
            category=4,
            color=-16711936,
        )
    export.range(1_500, 1_700, None, process=process, thread=5, textId=export.text("registered"))
    export.range(1_800, 8_000, "epoch", process=process, thread=5, kind=START_END)
    export.range(1_900, None, "a moment", process=process, thread=5, kind=MARK)
    node, copy = 3 << 32 | 1, 4 << 32 | 1
    for start, number, original in ((2_000, node, None), (2_100, copy, node)):
        export.row(
            "CUDA_GRAPH_NODE_EVENTS",
            start=start,
            end=start + 10,
            globalTid=thread,
            eventClass=77,
            nameId=export.text("cudaGraphAddKernelNode"),
            graphNodeId=number,
            originalGraphNodeId=original,
        )
    export.launch(3_000, process, 5, correlation=1, deviceId=gpu, contextId=1 + gpu)
    export.launch(
        4_000,
        process,
        5,
        correlation=2,
        deviceId=gpu,
        contextId=1 + gpu,
        function="cudaGraphLaunch_v10000",
        graphNodeId=copy,
        graphId=4,
    )
    export.call(5_000, process, 5, 3, "cudaGraphLaunch_v10000")
    export.row(
        "CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
        start=5_100,
        end=5_300,
        correlationId=3,
        graphId=9,
        graphExecId=2,
        **place,
    )
    export.row(
        "CUPTI_ACTIVITY_KIND_MEMCPY",
        start=6_000,
        end=6_100,
        bytes=64,
        copyKind=1,
        srcKind=0,
        dstKind=2,
        correlationId=4,
        **place,
    )
    export.row(
        "CUPTI_ACTIVITY_KIND_MEMSET",
        start=6_200,
        end=6_300,
        bytes=8,
        value=1,
        memKind=7,
        correlationId=5,
        **place,
    )
    export.call(6_500, process, 5, 6, "cuStreamWaitEvent_ptsz", driver=True, result=1)
    for kind, stream, event in ((1, none, 12), (2, 7, none), (3, 7, none), (4, none, none)):
        export.row(
            "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
            start=7_000 + kind,
            end=7_100,
            syncType=kind,
            eventId=event,
            correlationId=6,
            **place | {"streamId": stream},
        )
    export.row(
        "OSRT_API",
        start=7_500,
        end=7_600,
        eventClass=27,
        globalTid=thread,
        nameId=export.text("poll"),
    )
    export.row(
        "CUPTI_ACTIVITY_KIND_OVERHEAD",
        start=7_700,
        end=7_800,
        eventClass=103,
        globalTid=thread,
        nameId=export.text("Lazy Function Loading"),
        overheadType=7,
    )
    for kind, name in ((0, "initialization"), (1, "Unknown"), (3, "CUPTI Buffer flush")):
        export.row(
            "PROFILER_OVERHEAD",
            start=7_900,
            end=7_910 + kind,
            globalTid=thread,
            nameId=export.text(name),
            overheadType=kind,
        )


EXPORTS = {
    "scripted": scripted,
    "current": current,
    "processes": processes,
    "strays": strays,
    "old": old,
    "graphs": graphs,
    "damaged": damaged,
}

if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in EXPORTS:
        sys.exit(__doc__)
    EXPORTS[sys.argv[1]](sys.argv[2])
