"""The states that the table compares: the kernel's, the settings, the files; and those that are expected."""

from __future__ import annotations

import ipaddress
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, Protocol

from board import Board, Failure
from services import BRIDGE, INTERFACE, Service

#: All files of /etc, also temporary ones of Cleat. NetworkManager leaves its own if the power is cut while it writes.
_FILES = """
cd /etc
find . \\( -type f -o -type l \\) ! -path './cleat/*' ! -path './resolv.conf.??????' -exec sha256sum '{}' + | sort -k 2
"""
#: All interfaces and routes; a file that goes meanwhile is no error.
_LOOK = """
ip -j -d address show
ip -j route show
ip -j -6 route show
grep . /proc/sys/net/ipv6/conf/*/use_tempaddr || true
"""


@dataclass(frozen=True)
class Network:
    """The state of the interface, or of the bridge of which it is a port, and of the resolver, as other programs see it."""

    mtu: int
    is_up: bool
    addresses: frozenset[str]
    routes: frozenset[str]
    #: True if the interface has any IPv6 address, the link-local one included.
    has_ipv6: bool
    temporary: int
    dns: tuple[str, ...]
    search: tuple[str, ...]
    #: The metric of the default route, 0 without one; None in an expected state if the service chooses it.
    metric: int | None = None
    #: The spanning tree of the bridge; None without a bridge.
    stp: bool | None = None
    ports: frozenset[str] = frozenset()
    #: The addresses and routes that the ports themselves have.
    of_ports: frozenset[str] = frozenset()

    def differences(self, expected: Network, more: frozenset[str] = frozenset()) -> list[str]:
        """Returns the parts that differ from an expected state; routes of `more` are not compared."""
        found = []
        for name in Network.__dataclass_fields__:
            own, other = getattr(self, name), getattr(expected, name)
            if isinstance(own, frozenset):
                lacking, extra = sorted(other - own - more), sorted(own - other - more)
                found += [f"{name}: lacks {', '.join(lacking)}"] if lacking else []
                found += [f"{name}: also has {', '.join(extra)}"] if extra else []
            elif own != other and (name != "metric" or other is not None):
                found.append(f"{name}: {_text(own)} instead of {_text(other)}")
        return found


@dataclass(frozen=True)
class Whole:
    """All that a change of settings changes."""

    settings: str
    files: str
    network: Network

    def differences(self, expected: Whole, more: frozenset[str] = frozenset()) -> list[str]:
        """Returns the parts that differ from another state."""
        found = self.network.differences(expected.network, more)
        if self.settings != expected.settings:
            found.append(f"settings: {self.settings} instead of {expected.settings}")
        own, other = set(self.files.splitlines()), set(expected.files.splitlines())
        if own != other:
            names = sorted({line.split(maxsplit=1)[1] for line in own ^ other})
            found.append(f"files differ: {', '.join(names)}")
        return found


class Change(Protocol):
    """A change of settings by one command."""

    def change(self, service: Service, /) -> list[str]:
        """Returns the words for `cleat`."""

    def network(self, service: Service, /) -> Network:
        """Returns the state of the kernel with it."""


@dataclass(frozen=True)
class Wanted:
    """Values of the settings of the interface, or of a bridge of it."""

    address: str
    address6: str
    gateway: str
    route: str
    mtu: int
    dns: str
    search: tuple[str, ...]
    ipv6: str
    privacy: bool
    metric: int
    interface: str = INTERFACE
    #: The spanning tree of the bridge; None if it is no bridge.
    stp: bool | None = None

    @property
    def path(self) -> str:
        """The path of its settings."""
        return f"network/interfaces/{self.interface}"

    def change(self, service: Service) -> list[str]:
        """Returns the words for `cleat` that put it in force."""
        return ["set", *self.assignments(service)]

    def assignments(self, service: Service) -> list[str]:
        """Returns the words for `cleat set`."""
        values: dict[str, Any] = {
            "addresses": [self.address, self.address6], "gateway": self.gateway, "mtu": self.mtu,
            "routes": [{"destination": self.route, "gateway": self.gateway}], "dns": [self.dns], "search": list(self.search)}
        if service.has_ipv6_modes:
            values |= {"ipv6": self.ipv6, "privacy": self.privacy}
        if not service.keeps_routes:
            values["metric"] = self.metric
        if self.stp is not None:
            values |= {"bridge/ports": [INTERFACE], "bridge/stp": self.stp}
        texts = {name: value if isinstance(value, str) else json.dumps(value) for name, value in values.items()}
        return [f"{self.path}/{name}={text}" for name, text in texts.items()]

    def network(self, service: Service, kept: Wanted | None = None) -> Network:
        """Returns the state of the kernel with these settings, and with addresses that are kept during a trial."""
        every = [self, kept] if kept else [self]
        addresses = [address for one in every for address in (one.address, one.address6)]
        routes = [f"default via {self.gateway}", f"{self.route} via {self.gateway}"]
        return Network(
            mtu=self.mtu, is_up=True, addresses=frozenset(addresses),
            routes=frozenset([*routes, *map(_subnet, addresses)]), has_ipv6=True,
            temporary=2 if service.has_ipv6_modes and self.privacy else 0, dns=(self.dns,), search=self.search,
            metric=0 if service.keeps_routes else self.metric, stp=self.stp,
            ports=frozenset() if self.stp is None else frozenset([INTERFACE]))


OLD = Wanted(
    "192.0.2.1/24", "2001:db8:1::1/64", "192.0.2.9", "10.8.0.0/16", 1400, "192.0.2.53", ("lan", "example.org"),
    ipv6="static", privacy=False, metric=7)
NEW = Wanted(
    "198.51.100.5/24", "2001:db8:2::5/64", "198.51.100.9", "10.7.0.0/16", 1300, "198.51.100.53", ("example.net",),
    ipv6="auto", privacy=True, metric=9)
#: The administrator's configuration, which every service has before Cleat.
THEIRS = Network(
    mtu=1500, is_up=True, addresses=frozenset(["203.0.113.5/24"]),
    routes=frozenset(["203.0.113.0/24", "default via 203.0.113.9", "10.9.0.0/16 via 203.0.113.8"]), has_ipv6=True, temporary=0,
    dns=("203.0.113.53",), search=())


def network(board: Board) -> Network:
    """Reads the state of the kernel and the resolver."""
    if board.fault == "kernel" and board.fault_at in board.comparison:
        board.check("ip address flush scope global")
    lines = board.check(_LOOK).splitlines()
    links, *tables = (json.loads(line or "[]") for line in lines[:3])
    found = {one["ifname"]: one for one in links}
    name = BRIDGE if BRIDGE in found else INTERFACE
    link, routes = found[name], [one for table in tables for one in table]
    own = [one for one in routes if one.get("dev") == name]
    resolved = [line.split() for line in board.check(board.service.resolver).splitlines()]
    ports = {port for port, one in found.items() if one.get("master") == BRIDGE}
    of_ports = [
        f"{port}: {what}" for port in ports
        for what in _addresses(found[port]) | _routes(one for one in routes if one.get("dev") == port)]
    temporary = next((int(line.rpartition(":")[2]) for line in lines[3:] if f"/{name}/" in line), 0)
    return Network(
        mtu=link["mtu"], is_up="UP" in link["flags"], addresses=_addresses(link), routes=_routes(own),
        has_ipv6=any(one.get("family") == "inet6" for one in link["addr_info"]), temporary=temporary,
        stp=bool(link["linkinfo"]["info_data"]["stp_state"]) if name == BRIDGE else None,
        ports=frozenset(port if "UP" in found[port]["flags"] else f"{port} (down)" for port in ports),
        of_ports=frozenset(of_ports),
        dns=tuple(word for words in resolved if words[0] == "dns" for word in words[1:]),
        search=tuple(word for words in resolved if words[0] == "search" for word in words[1:]),
        metric=next((one.get("metric", 0) for one in own if one["dst"] == "default"), 0))


def settings(board: Board) -> str:
    """Returns the settings of all interfaces in force, as JSON."""
    return json.dumps(board.ask("get", "network/interfaces")["setting"].get("value"), sort_keys=True)


def whole(board: Board) -> Whole:
    """Reads the settings, the files of `/etc`, and the kernel's state."""
    return Whole(settings(board), board.check(_FILES), network(board))


def foreign_routes(service: Service) -> frozenset[str]:
    """Returns the routes that stay while Cleat configures the interface."""
    return THEIRS.routes - {"default via 203.0.113.9", "203.0.113.0/24"} if service.keeps_routes else frozenset()


def expect(board: Board, when: str, expected: Network, *, is_exact: bool = False) -> None:
    """Waits until the kernel's state is the expected one."""
    more = frozenset() if is_exact else foreign_routes(board.service)
    _await(when, lambda: network(board).differences(expected, more), board)


def expect_whole(board: Board, when: str, expected: Whole) -> None:
    """Waits until settings, files and the kernel's state are the expected ones."""
    _await(when, lambda: whole(board).differences(expected, foreign_routes(board.service)), board)


def expect_clean(board: Board, when: str) -> None:
    """Requires that no change is on trial, and that neither drift nor a failure is reported."""
    status = board.ask("status")
    if status.get("trial"):
        raise Failure(f"{when}: a change is still on trial: {status['trial']}")
    drift = board.cleat("drift")
    if drift.returncode != 0:
        raise Failure(f"{when}: `cleat drift` ended with {drift.returncode}: {drift.stdout} {drift.stderr}")


def without_ipv6(expected: Network) -> Network:
    """Returns the state of an interface that has no IPv6."""
    return replace(
        expected, has_ipv6=False, addresses=frozenset(one for one in expected.addresses if ":" not in one),
        routes=frozenset(one for one in expected.routes if ":" not in one), temporary=0)


def _await(when: str, differences: Callable[[], list[str]], board: Board) -> None:
    last: list[str] = []
    board.comparison = when

    def holds() -> bool:
        last[:] = differences()
        return not last

    try:
        board.eventually(when, holds, board.patience)
    except Failure:
        raise Failure(f"{when}: {'; '.join(last)} (after `{board.last}`)") from None


def _addresses(link: dict[str, Any]) -> frozenset[str]:
    """Returns the global addresses of a link."""
    return frozenset(f"{one['local']}/{one['prefixlen']}" for one in link["addr_info"] if one and one["scope"] == "global")


def _routes(routes: Iterable[dict[str, Any]]) -> frozenset[str]:
    """Returns the routes that the kernel has not made for each link."""
    return frozenset(_route(one) for one in routes if not one["dst"].startswith(("fe80:", "ff00:", "multicast")))


def _route(route: dict[str, Any]) -> str:
    return route["dst"] + (f" via {route['gateway']}" if "gateway" in route else "")


def _subnet(address: str) -> str:
    return str(ipaddress.ip_interface(address).network)


def _text(value: Any) -> str:
    return " ".join(map(str, value)) or "nothing" if isinstance(value, tuple) else str(value)
