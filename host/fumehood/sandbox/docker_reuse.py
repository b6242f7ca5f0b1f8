"""Connections to the engine's socket: used again, and closed when they fail.

docker-py keeps a pool of connections for each URL, and the URL of most calls has a container's id in it: as good as none is
ever used twice, and two dozen stay open. One pool for all of them saves both. And it leaves the socket of a connection that
was refused to the garbage collector: while an engine is away, each call would cost a descriptor for a while.
"""

from __future__ import annotations

import socket
from typing import Any, Final

from docker.transport import UnixHTTPAdapter
from docker.transport.unixconn import UnixHTTPConnection, UnixHTTPConnectionPool

#: Connections that are kept, not a bound: as many threads may be talking to the engine as there are jobs.
_KEPT: Final = 64
_ANY_URL: Final = "http+docker://localhost"


class _Connection(UnixHTTPConnection):  # type: ignore[misc] # docker-py has no types
    def connect(self) -> None:
        connecting = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            connecting.settimeout(self.timeout)
            connecting.connect(self.unix_socket)
        except BaseException:
            connecting.close()
            raise
        self.sock = connecting


class _Connections(UnixHTTPConnectionPool):  # type: ignore[misc] # the same
    def _new_conn(self) -> _Connection:
        return _Connection(self.base_url, self.socket_path, self.timeout)


class _OnePool(UnixHTTPAdapter):  # type: ignore[misc] # the same
    def get_connection(self, url: str, proxies: Any = None) -> _Connections:
        del url, proxies
        with self.pools.lock:
            if _ANY_URL not in self.pools:
                self.pools[_ANY_URL] = _Connections(_ANY_URL, self.socket_path, self.timeout, maxsize=self.max_pool_size)
            pool: _Connections = self.pools[_ANY_URL]
            return pool


def reuse_connections(api: Any) -> None:
    """Have *api* (a docker-py client) use its connections to a unix socket again. Other transports do so by themselves."""
    adapter = api.get_adapter(api.base_url)
    if type(adapter) is UnixHTTPAdapter:
        adapter.close()
        api.mount(_ANY_URL, _OnePool(f"http+unix://{adapter.socket_path}", adapter.timeout, max_pool_size=_KEPT))
