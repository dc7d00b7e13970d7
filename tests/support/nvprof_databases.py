#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Writes small made-up databases of nvprof, for tests.

usage: nvprof_databases.py NAME FILE

NAME: one of DATABASES. Tables and columns are those of nvprof's version 12, with the columns of version 22
that are read. As in real ones, all tables are there, and unsigned numbers are written
as signed ones."""
import pathlib
import sqlite3
import struct
import sys

PLACE = "start end deviceId contextId streamId correlationId"
GRAPH = "graphNodeId graphId"
KERNEL = (
    f"{PLACE} registersPerThread completed gridX gridY gridZ blockX blockY blockZ"
    " staticSharedMemory dynamicSharedMemory localMemoryPerThread localMemoryTotal gridId name"
    f" launchType {GRAPH} clusterX clusterY clusterZ"
)
COLUMNS = {
    "CONCURRENT_KERNEL": KERNEL,
    "KERNEL": KERNEL,
    "CDP_KERNEL": f"{PLACE} registersPerThread gridX gridY gridZ blockX blockY blockZ"
    " staticSharedMemory dynamicSharedMemory localMemoryPerThread gridId parentGridId"
    " name",
    "MEMCPY": f"copyKind srcKind dstKind flags bytes {PLACE} runtimeCorrelationId {GRAPH}",
    "MEMCPY2": f"copyKind srcKind dstKind flags bytes {PLACE} srcDeviceId srcContextId dstDeviceId"
    f" dstContextId {GRAPH}",
    "MEMSET": f"value bytes {PLACE} flags memoryKind {GRAPH}",
    "RUNTIME": "cbid start end processId threadId correlationId returnValue",
    "DRIVER": "cbid start end processId threadId correlationId returnValue",
    "MARKER": "flags timestamp id objectKind objectId name domain",
    "MARKER_DATA": "flags id payloadKind payload color category",
    "OVERHEAD": "overheadKind objectKind objectId start end",
    "SYNCHRONIZATION": "type start end correlationId contextId streamId cudaEventId",
    "UNIFIED_MEMORY_COUNTER": "counterKind value start end address srcId dstId streamId processId"
    " flags",
    "NAME": "objectKind objectId name",
    "DEVICE": "globalMemoryBandwidth globalMemorySize l2CacheSize coreClockRate numMultiprocessors"
    " computeCapabilityMajor computeCapabilityMinor id uuid name",
    "CONTEXT": "contextId deviceId computeApiKind nullStreamId",
    "CUDA_EVENT": "correlationId contextId streamId eventId",
    "METRIC": "id value correlationId flags",
}
NO_TEXT = "-- null --"
OF_PROCESS, OF_THREAD, OF_STREAM = 1, 2, 5
MOMENT, START, END = 1, 2, 4
LAUNCH, COPY, COPY_ASYNC, SET_ASYNC, STREAM_WAITS = 211, 31, 41, 51, 131
CU_LAUNCH = 307
THREAD = 0xEADC3740  # the low half of what pthread_self() returns
BEGUN_NS = 1_583_978_808_000_000_000


def signed(number):
    return number - (1 << 32) if number >= 1 << 31 else number


def thread_id(pid, thread=THREAD):
    """The third number is what was in memory."""
    return struct.pack("<III", pid, thread, 0x7F00)


class Database:
    """Rows are given by column; what a row does not name is 0. Times count from BEGUN_NS."""

    def __init__(self, path, columns=None, version=12):
        pathlib.Path(path).unlink(missing_ok=True)
        self.db = sqlite3.connect(path)
        self.columns = {name: text.split() for name, text in (columns or COLUMNS).items()}
        self.db.execute(
            "CREATE TABLE StringTable(_id_ INTEGER PRIMARY KEY AUTOINCREMENT,"
            " value TEXT NOT NULL UNIQUE)"
        )
        self.db.execute("CREATE TABLE Version(version INTEGER)")
        self.db.execute("INSERT INTO Version VALUES(?)", (version,))
        self.db.execute("INSERT INTO StringTable VALUES(0, ?)", (NO_TEXT,))
        for name, listed in self.columns.items():
            self.db.execute(
                f"CREATE TABLE CUPTI_ACTIVITY_KIND_{name}(_id_ INTEGER PRIMARY KEY"
                f" AUTOINCREMENT, {', '.join(column + ' INT' for column in listed)})"
            )
        self.markers = 0

    def row(self, table, **values):
        listed = self.columns[table]
        odd = set(values) - set(listed)
        if odd:
            raise ValueError(f"{table} has no {odd}")
        given = [values.get(column, 0) for column in listed]
        for i, column in enumerate(listed):
            if column in ("start", "end", "timestamp", "completed") and isinstance(given[i], int):
                given[i] += BEGUN_NS if column in values else 0
        self.db.execute(
            f"INSERT INTO CUPTI_ACTIVITY_KIND_{table} ({','.join(listed)})"
            f" VALUES ({','.join('?' * len(given))})",
            given,
        )

    def text(self, value):
        self.db.execute("INSERT OR IGNORE INTO StringTable(value) VALUES(?)", (value,))
        return self.db.execute("SELECT _id_ FROM StringTable WHERE value=?", (value,)).fetchone()[0]

    def call(
        self,
        at,
        correlation,
        number=LAUNCH,
        pid=100,
        thread=THREAD,
        length=50,
        result=0,
        table="RUNTIME",
    ):
        self.row(
            table,
            cbid=number,
            start=at,
            end=at + length,
            processId=pid,
            threadId=signed(thread),
            correlationId=signed(correlation),
            returnValue=result,
        )

    def kernel(
        self, at, correlation, name="_Z3fooi", length=1000, table="CONCURRENT_KERNEL", **facts
    ):
        known = {
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
            "name": self.text(name),
        } | facts
        self.row(table, start=at, end=at + length, correlationId=signed(correlation), **known)

    def launch(self, at, correlation, pid=100, thread=THREAD, **facts):
        """A kernel and the call that launched it."""
        self.call(at, correlation, pid=pid, thread=thread)
        self.kernel(at + 100, correlation, **facts)

    def marker(
        self, at, text, flags=MOMENT, pid=100, thread=THREAD, domain=None, number=None, owner=None
    ):
        """Returns its id."""
        if number is None:
            self.markers += 1
            number = self.markers
        self.row(
            "MARKER",
            flags=flags,
            timestamp=at,
            id=number,
            objectKind=OF_THREAD if owner is None else OF_PROCESS,
            objectId=thread_id(pid, thread) if owner is None else owner,
            name=self.text(text) if text else 0,
            domain=self.text(domain or NO_TEXT),
        )
        return number

    def range(
        self, start, end, text, end_thread=None, pid=100, thread=THREAD, domain=None, number=None
    ):
        number = self.marker(start, text, START, pid, thread, domain, number)
        if end is not None:
            self.marker(end, None, END, pid, end_thread or thread, number=number)
        return number

    def device(self, ordinal=0, name="Tesla V100-SXM2-16GB"):
        self.row(
            "DEVICE",
            id=ordinal,
            name=self.text(name),
            uuid=bytes(range(ordinal, 16 + ordinal)),
            globalMemoryBandwidth=898_048_000,
            globalMemorySize=16_914_055_168,
            l2CacheSize=6_291_456,
            coreClockRate=1_530_000,
            numMultiprocessors=80,
            computeCapabilityMajor=7,
            computeCapabilityMinor=0,
        )

    def name(self, text, pid=100, thread=None):
        kind = OF_PROCESS if thread is None else OF_THREAD
        self.row(
            "NAME", objectKind=kind, objectId=thread_id(pid, thread or 0), name=self.text(text)
        )

    def close(self):
        self.db.commit()
        self.db.close()


def current(path):
    """One process with every table that is read."""
    database = Database(path, version=22)
    database.device()
    database.name("./train --fast")
    database.name("loader", thread=12)
    database.row(
        "NAME",
        objectKind=OF_STREAM,
        objectId=struct.pack("<III", 0, 1, 7),
        name=database.text("main stream"),
    )
    database.range(1_000, 90_000, "step:1")
    database.range(2_000, 40_000, "layer:fc1")
    number = database.range(2_500, 39_000, "read", domain="lib")
    database.row(
        "MARKER_DATA",
        id=number,
        flags=2,
        color=signed(0xFF00FF00),
        category=4,
        payloadKind=1,
        payload=struct.pack("<Q", 77),
    )
    number = database.marker(30_500, "a moment", domain="lib")
    database.row("MARKER_DATA", id=number, flags=1, payloadKind=0, payload=struct.pack("<d", 2.5))
    database.row("MARKER_DATA", id=number + 100, flags=1, payloadKind=1, payload=bytes(8))
    database.range(500, 70_000, "handed over", thread=THREAD, end_thread=12)
    database.range(85_000, None, "never closed")
    database.marker(30, None, END)  # opened before nvprof recorded
    database.marker(30_600, "of the process", owner=thread_id(100, 0))
    database.launch(
        10_000, 0xFFFFFFF0, name="_Z4gemmi", launchType=1, clusterX=2, clusterY=1, clusterZ=1
    )
    database.call(60_000, 42, CU_LAUNCH, table="DRIVER")
    database.kernel(60_100, 42, graphNodeId=3 << 32 | 1, graphId=3)
    database.launch(95_000, 43, thread=12)
    database.kernel(97_000, 44, table="CDP_KERNEL", parentGridId=5)
    database.call(20_000, 50, COPY_ASYNC)
    database.row(
        "MEMCPY",
        start=20_500,
        end=21_500,
        contextId=1,
        streamId=7,
        correlationId=50,
        bytes=4096,
        copyKind=1,
        srcKind=1,
        dstKind=3,
        flags=1,
    )
    database.row(
        "MEMCPY2",
        start=21_500,
        end=22_500,
        contextId=1,
        streamId=7,
        correlationId=0,
        bytes=64,
        copyKind=10,
        srcKind=3,
        dstKind=3,
        dstDeviceId=3,
    )
    database.row(
        "UNIFIED_MEMORY_COUNTER",
        counterKind=2,
        value=65_536,
        start=22_600,
        end=22_900,
        processId=100,
    )
    database.row("UNIFIED_MEMORY_COUNTER", counterKind=3, value=4, start=22_600, processId=100)
    database.call(23_000, 51, SET_ASYNC, result=1)
    database.row(
        "MEMSET",
        start=23_500,
        end=23_900,
        contextId=1,
        streamId=7,
        correlationId=51,
        value=7,
        bytes=32,
        flags=1,
        memoryKind=3,
    )
    database.call(50_000, 52, STREAM_WAITS, length=5_000)
    database.row(
        "SYNCHRONIZATION",
        type=3,
        start=50_100,
        end=54_900,
        contextId=1,
        streamId=7,
        correlationId=52,
        cudaEventId=-1,
    )
    database.row(
        "SYNCHRONIZATION",
        type=4,
        start=55_000,
        end=55_100,
        contextId=1,
        streamId=-1,
        cudaEventId=-1,
    )
    database.row(
        "OVERHEAD",
        overheadKind=1 << 16,
        objectKind=OF_PROCESS,
        objectId=thread_id(100),
        start=9_000,
        end=9_500,
    )
    database.row(
        "OVERHEAD",
        overheadKind=4 << 16,
        objectKind=OF_THREAD,
        objectId=thread_id(100, 12),
        start=100,
        end=200,
    )
    database.row("CUDA_EVENT", correlationId=60, contextId=1, streamId=7, eventId=1)
    database.row("CONTEXT", contextId=1, computeApiKind=1, nullStreamId=7)
    database.close()


def tensor(shape, dtype="float32"):
    return f"{{'name': '', 'type': 'tensor', 'shape': {shape}, 'dtype': '{dtype}'}}"


def call(module, op, *tensors):
    return f"{{'mod': '{module}', 'op': '{op}', 'args': [{', '.join(tensors)}]}}"


def pyprof(path):
    """A step of a layer under PyProf: its markers, forward and, on another thread, backward."""
    database = Database(path)
    database.device()
    backward = 0x1AFFD700
    linear = call("torch.nn.functional", "linear", tensor((32, 128)), tensor((256, 128)))
    database.range(1_000, 9_000, "layer:fc1")
    database.range(
        1_100,
        8_000,
        "{'traceMarker': ['/w/train.py:50', '/w/net.py:20',"
        " '/opt/torch/nn/modules/linear.py:87']}",
    )
    database.range(1_200, 7_900, linear)
    database.range(1_300, 7_800, "addmm, seq = 7")
    database.launch(2_000, 1, name="volta_sgemm_32x128_tn", length=5_000)
    database.range(10_000, 12_000, call("torch", "relu", tensor((32, 256))))
    database.range(10_100, 11_900, "relu, seq = 8")
    database.launch(10_200, 2, name="_Z11relu_kernelPf", length=700)
    database.range(20_000, 30_000, "AddmmBackward, seq = 7", thread=backward)
    database.range(20_100, 29_000, "mm", thread=backward)
    database.launch(21_000, 3, thread=backward, name="volta_sgemm_128x64_nn", length=4_000)
    database.launch(26_000, 4, thread=backward, name="volta_sgemm_128x64_nt", length=3_000)
    database.close()


def serial(path):
    """nvprof --concurrent-kernels off."""
    database = Database(path)
    database.device()
    database.call(1_000, 10)
    database.kernel(1_100, 10, name="_Z5scaleIfEvPT_i", length=20_000, table="KERNEL")
    database.close()


def processes(path):
    """Two processes: each has a call of correlation 9, so that nobody knows who made that launch."""
    database = Database(path)
    database.device()
    for pid, at in ((300, 1_000), (200, 50_000)):
        database.name(f"rank{pid}", pid=pid)
        database.range(at, at + 20_000, f"layer:of{pid}", pid=pid, number=1)
        database.launch(at + 1_000, pid, pid=pid, length=pid)
        database.call(at + 5_000, 9, pid=pid)
        database.row(
            "OVERHEAD",
            overheadKind=1 << 16,
            objectKind=OF_PROCESS,
            objectId=thread_id(pid),
            start=at,
            end=at + pid,
        )
    database.kernel(7_000, 9, length=90)
    database.kernel(8_000, 0, length=80)
    database.row("MARKER_DATA", id=1, flags=2, color=1)
    database.close()


def unfinished(path):
    """The GPU stopped: the last kernel never ran."""
    database = Database(path)
    database.device()
    database.range(1_000, 9_000, "layer:a")
    database.launch(2_000, 1)
    database.call(3_000, 2)
    database.row(
        "CONCURRENT_KERNEL",
        name=database.text("_Z3bari"),
        correlationId=2,
        gridX=1,
        gridY=1,
        gridZ=1,
        blockX=32,
        blockY=1,
        blockZ=1,
    )
    database.close()


def old(path):
    """Fewer columns and tables, as older versions wrote."""
    database = Database(
        path,
        {
            "CONCURRENT_KERNEL": f"{PLACE} registersPerThread gridX gridY gridZ blockX blockY blockZ"
            " staticSharedMemory dynamicSharedMemory localMemoryPerThread name",
            "RUNTIME": COLUMNS["RUNTIME"],
            "MARKER": "flags timestamp id objectKind objectId name domain",
        },
        version=4,
    )
    database.range(1_000, 9_000, "layer:a")
    database.launch(2_000, 1)
    database.close()


def calls_alone(path):
    """No work: the program was killed."""
    database = Database(path)
    database.call(1_000, 1)
    database.close()


def ranges_alone(path):
    """Made by another program for nvvp."""
    database = Database(path)
    database.range(1_000, 2_000, "a task")
    database.close()


def counters(path):
    """nvprof --metrics without times."""
    database = Database(path)
    database.row("METRIC", id=1, value=struct.pack("<d", 0.5), correlationId=1)
    database.close()


def empty(path):
    Database(path).close()


def damaged(path):
    """Rows that nvprof does not write, beside some that it does."""
    database = Database(path)
    database.range(1_000, 9_000, "good")
    database.launch(2_000, 1)
    database.launch(3_000, 2, length=-5_000)
    database.launch(4_000, 3, gridX="wide")
    database.row("CONCURRENT_KERNEL", start="soon", end=5)
    database.kernel(5_000, 0)
    database.db.execute(
        "UPDATE CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL SET name=77"
        " WHERE correlationId=0 AND typeof(start)='integer'"
    )
    database.row("RUNTIME", start=6_000, end=6_010, cbid=9_999, processId=100, threadId=1)
    database.row("RUNTIME", start=6_000, end=6_010, cbid=LAUNCH, processId=100, threadId=None)
    database.row("MARKER", id=50, flags=START, timestamp=5, objectKind=OF_THREAD, objectId=b"short")
    database.row(
        "MARKER", id=51, flags=START, timestamp="now", objectKind=OF_THREAD, objectId=thread_id(100)
    )
    database.row(
        "MARKER",
        id=52,
        flags=MOMENT,
        timestamp=5_000,
        objectKind=OF_THREAD,
        objectId=thread_id(100),
        name=88,
    )
    database.row(
        "MARKER",
        id=53,
        flags=MOMENT,
        timestamp=5_000,
        objectKind=OF_THREAD,
        objectId=thread_id(100),
        name=database.text("elsewhere"),
        domain=89,
    )
    database.range(5_500, 5_400, "ends first")
    database.row(
        "MARKER", id=60, flags=8, timestamp=5_000, objectKind=OF_THREAD, objectId=thread_id(100)
    )
    database.row("MARKER_DATA", id=None, flags=2)
    database.row("NAME", objectKind=OF_PROCESS, objectId=thread_id(100))
    database.close()


DATABASES = {
    function.__name__: function
    for function in (
        current,
        pyprof,
        serial,
        processes,
        unfinished,
        old,
        calls_alone,
        ranges_alone,
        counters,
        empty,
        damaged,
    )
}

if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in DATABASES:
        sys.exit(__doc__)
    DATABASES[sys.argv[1]](sys.argv[2])
