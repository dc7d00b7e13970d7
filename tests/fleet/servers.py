# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""ClickHouse servers on loopback for tests: Debian's clickhouse-server, one or several as a cluster."""
import contextlib
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request

SERVER = shutil.which("clickhouse-server", path=os.environ.get("PATH", "") + ":/usr/sbin")
CLUSTER = "three"
START_S = 60

CONFIG = """<?xml version="1.0"?>
<yandex>
  <logger><level>warning</level><log>{folder}/server.log</log><errorlog>{folder}/errors.log</errorlog></logger>
  <listen_host>127.0.0.1</listen_host>
  <http_port>{http}</http_port>
  <tcp_port>{tcp}</tcp_port>
  <interserver_http_port>{interserver}</interserver_http_port>
  <path>{folder}/data/</path>
  <tmp_path>{folder}/tmp/</tmp_path>
  <mark_cache_size>67108864</mark_cache_size>
  <max_concurrent_queries>32</max_concurrent_queries>
  <users_config>users.xml</users_config>
  <default_profile>default</default_profile>
  <default_database>default</default_database>
  <timezone>UTC</timezone>
  <remote_servers><{cluster}>{shards}</{cluster}></remote_servers>
</yandex>
"""
SHARD = (
    "<shard><replica><host>127.0.0.1</host><port>{port}</port><user>{user}</user>"
    "<password>{password}</password></replica></shard>"
)
USERS = """<?xml version="1.0"?>
<yandex>
  <profiles><default><max_memory_usage>4000000000</max_memory_usage></default></profiles>
  <quotas><default></default></quotas>
  <users><{user}>
    <password>{password}</password>
    <networks><ip>127.0.0.1</ip></networks>
    <profile>default</profile><quota>default</quota>
  </{user}></users>
</yandex>
"""


def free_ports(count):
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


class Server:
    def __init__(self, folder, ports, shards, user, password):
        self.folder = pathlib.Path(folder)
        self.http, tcp, interserver = ports
        self.url = f"http://127.0.0.1:{self.http}"
        self.folder.mkdir(parents=True)
        for name in ("data", "tmp"):
            (self.folder / name).mkdir()
        words = {
            "folder": self.folder,
            "http": self.http,
            "tcp": tcp,
            "interserver": interserver,
            "cluster": CLUSTER,
            "user": user,
            "password": password,
            "shards": "".join(
                SHARD.format(port=port, user=user, password=password) for port in shards
            ),
        }
        (self.folder / "config.xml").write_text(CONFIG.format(**words))
        (self.folder / "users.xml").write_text(USERS.format(**words))
        self.process = None

    def begin(self):
        with open(self.folder / "out", "ab") as out:
            self.process = subprocess.Popen(
                [SERVER, f"--config-file={self.folder}/config.xml"],
                cwd=self.folder,
                stdout=out,
                stderr=out,
            )

    def wait(self):
        end = time.monotonic() + START_S
        while time.monotonic() < end:
            try:
                with urllib.request.urlopen(self.url + "/ping", timeout=5):
                    return
            except (urllib.error.URLError, OSError):
                if self.process.poll() is not None:
                    break
                time.sleep(0.1)
        raise RuntimeError(
            f"clickhouse-server does not start: {(self.folder / 'out').read_text()[-2000:]}"
        )

    def execute(self, statement):
        with urllib.request.urlopen(self.url, data=statement.encode(), timeout=60) as answer:
            return answer.read().decode()

    def kill(self):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()


@contextlib.contextmanager
def servers(folder, count=1, user="default", password=""):
    """Servers that know each other as a cluster."""
    ports = free_ports(3 * count)
    ports = [ports[3 * i : 3 * i + 3] for i in range(count)]
    started = [
        Server(pathlib.Path(folder) / f"server{i}", own, [one[1] for one in ports], user, password)
        for i, own in enumerate(ports)
    ]
    try:
        for one in started:
            one.begin()
        for one in started:
            one.wait()
        yield started
    finally:
        for one in started:
            one.kill()
