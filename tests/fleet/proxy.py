# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""What stands between prof-fleet and a server in tests: TLS, and connections that break in the midst of a request."""
import contextlib
import socket
import ssl
import subprocess
import threading

BLOCK = 1 << 14


def certificate(folder, host):
    """Paths of a certificate that is its own authority, and of its key."""
    paths = [str(folder / name) for name in ("certificate.pem", "key.pem")]
    subprocess.run(
        [
            "openssl",
            "req",
            "-x509",
            "-newkey",
            "rsa:2048",
            "-nodes",
            "-days",
            "1",
            "-subj",
            f"/CN={host}",
            "-addext",
            f"subjectAltName=IP:{host}",
            "-out",
            paths[0],
            "-keyout",
            paths[1],
        ],
        check=True,
        capture_output=True,
    )
    return paths


class Proxy:
    """Relays connections to a port of this host. `cut` is asked with the bytes that a client has sent on a
    connection, before each block is passed on: what it returns true for never arrives, nor does anything after it.
    """

    def __init__(self, port, cut=lambda sent: False, tls=None):
        self._to, self._cut = port, cut
        self._context = None
        if tls:
            self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self._context.load_cert_chain(*tls)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self.url = f"http{'s' if tls else ''}://127.0.0.1:{self.port}"

    def accept(self):
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def close(self):
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _serve(self, client):
        with client, contextlib.suppress(OSError):  # a client that does not trust us hangs up
            inside = (
                self._context.wrap_socket(client, server_side=True) if self._context else client
            )
            with inside, socket.create_connection(("127.0.0.1", self._to)) as server:
                back = threading.Thread(target=self._pass_back, args=(server, inside), daemon=True)
                back.start()
                self._pass_on(inside, server)
                # Whoever waits in a call on them returns.
                for one in (server, inside):
                    with contextlib.suppress(OSError):
                        one.shutdown(socket.SHUT_RDWR)
                back.join()

    def _pass_on(self, client, server):
        sent = 0
        while block := client.recv(BLOCK):
            sent += len(block)
            if self._cut(sent):
                return
            server.sendall(block)

    @staticmethod
    def _pass_back(server, client):
        with contextlib.suppress(OSError):  # a server that is killed resets
            while block := server.recv(BLOCK):
                client.sendall(block)
        # Whoever waits for the client's next bytes returns, too: nothing can answer them.
        with contextlib.suppress(OSError):
            client.shutdown(socket.SHUT_RDWR)


@contextlib.contextmanager
def proxy(*arguments, **options):
    one = Proxy(*arguments, **options)
    threading.Thread(target=one.accept, daemon=True).start()
    try:
        yield one
    finally:
        one.close()
