"""Connections to the engine's socket are used again.

docker-py keeps a pool of connections for each URL, and the URL of most calls has a container's id in it: as good as none is
ever used twice, and two dozen stay open. One pool for all of them saves both.
"""

from __future__ import annotations

from typing import Any, Final

from docker.transport import UnixHTTPAdapter

#: Connections that are kept, not a bound: as many threads may be talking to the engine as there are jobs.
_KEPT: Final = 64
_ANY_URL: Final = "http+docker://localhost"


class _OnePool(UnixHTTPAdapter):  # type: ignore[misc] # docker-py has no types
    def get_connection(self, url: str, proxies: Any = None) -> Any:
        del url
        return super().get_connection(_ANY_URL, proxies)


def reuse_connections(api: Any) -> None:
    """Have *api* (a docker-py client) use its connections to a unix socket again. Other transports do so by themselves."""
    adapter = api.get_adapter(api.base_url)
    if type(adapter) is UnixHTTPAdapter:
        adapter.close()
        api.mount(_ANY_URL, _OnePool(f"http+unix://{adapter.socket_path}", adapter.timeout, max_pool_size=_KEPT))
