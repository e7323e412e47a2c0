"""A network device with a carrier that goes off and on, made by the target's own kernel: a veth pair."""

from __future__ import annotations

from target.errors import MissingCapability
from target.target import Target


class VethLinks(Target):
    """Plugs in `veth` devices, where the target's kernel and `ip` have them; the far end stands for the cable."""

    _veths: set[str]

    def _find_veth(self) -> None:
        """Adds "link" to the capabilities where a pair can be made; the try is taken back."""
        self._veths = set()
        made = self.run("ip link add cleat-try type veth peer name cleat-tryp && ip link del cleat-try")
        if made.status == 0:
            self.capabilities |= {"link"}
            self.kinds |= {"veth"}

    def plug(self, kind: str, name: str) -> None:
        if kind not in self.kinds:
            raise MissingCapability(f"{self.name} cannot plug in a {kind}")
        # Interface names have at most 15 bytes.
        assert len(name) <= 13, "the name of a veth is too long"
        # The far end is off: like a cable that is not there yet.
        self.check(f"ip link add {name} type veth peer name {name}-p && ip link set {name}-p up")
        self._veths.add(name)

    def unplug(self, name: str) -> None:
        # By its far end: a test may have renamed the near one.
        self.check(f"ip link del {name}-p")
        self._veths.discard(name)

    def link(self, name: str, up: bool) -> None:
        self.check(f"ip link set {name}-p {'up' if up else 'down'}")

    def _remove_veths(self) -> None:
        for name in list(self._veths):
            self.run(f"ip link del {name}-p", timeout=5)
            self._veths.discard(name)
