"""VLANs and bonds by settings, as the kernel of a board shows them: by rtnetlink, systemd-networkd and NetworkManager.

`cross/test vboard --suite system --filter virtual_links` and the same with `--image wifi`, which has the two services.
"""

from __future__ import annotations

import unittest

from agent import RunningAgent
from on_target import OnTarget
from own_system import OwnSystem
from target.process import Completed
from test_deploy import Deployed, install, remove

#: The interfaces of the tests. `late` appears in a test.
TRUNK, LEFT, RIGHT, LATE = "trunk", "left", "right", "late"
PORTS = (TRUNK, LEFT, RIGHT)
#: The networks of LEFT and RIGHT before Cleat; each has a route by a gateway.
NETWORKS = {LEFT: 1, RIGHT: 2}
VLAN, BOND, UPPER = "trunk.10", "bond7", "bond7.20"
PATH = "network/interfaces"
ADDRESS = f'{PATH}/{VLAN}/addresses=["192.0.2.1/24"]'
#: Prints one line for each interface: its flag, its controller, its addresses, its routes by gateways, and what it is.
LOOK = r"""
for name in {names}; do
    at=/sys/class/net/$name
    if ! test -e $at; then echo $name none; continue; fi
    echo $name $(ip link show dev $name | grep -o '[<,]UP[,>]' | tr -d '<,>') \
        $(test ! -e $at/master || basename "$(readlink $at/master)") \
        $(ip addr show dev $name | grep -o 'inet6* [^ ]*' | cut -d ' ' -f 2 | grep -v ^fe80: | sort) \
        $(ip route show dev $name | grep -o '^[^ ]* via [^ ]*' | sort) \
        $(test ! -e /proc/net/vlan/$name ||
            sed -n 's/.*VID: \([0-9]*\).*/vlan \1/p; s/^Device: /of /p' /proc/net/vlan/$name) \
        $(test ! -e $at/bonding || cat $at/bonding/mode $at/bonding/miimon) \
        $(test ! -e $at/bonding || tr ' ' '\n' <$at/bonding/slaves | sort)
done
"""


class VirtualLinks(OnTarget):
    """The scenarios, which are the same by each network service."""

    agent: RunningAgent
    #: Makes an Ethernet interface with a carrier.
    make_link = "ip link add {0} type veth peer name x-{0} && ip link set x-{0} up"

    def serve(self) -> None:
        """Configures the interfaces as a person would, then starts the service."""
        raise NotImplementedError

    def restart(self) -> None:
        """Waits until the service answers again after it was killed."""
        raise NotImplementedError

    def setUp(self) -> None:
        super().setUp()
        # A bonding module that is loaded without parameters has made a bond.
        self.target.run("ip link del bond0")
        for name in PORTS:
            self.make(name)
        self.serve()
        self.before = self.look(*PORTS)

    def _clean_up(self) -> None:
        if self.target.is_alive():
            names = (UPPER, BOND, VLAN, "late.10", *PORTS, LATE)
            self.target.run("".join(f"ip link del {name};" for name in names), timeout=20)
        super()._clean_up()

    def make(self, name: str) -> None:
        """Makes an Ethernet interface with a carrier."""
        self.target.check(self.make_link.format(name))

    def look(self, *names: str) -> list[str]:
        """Returns what the kernel has for each interface."""
        return self.target.check(LOOK.format(names=" ".join(names))).splitlines()

    def assert_state(self, *lines: str) -> None:
        """Waits until the kernel has this for each interface, and requires that the service finds no difference."""
        names = [line.split()[0] for line in lines]
        seen: list[str] = []

        def is_reached() -> bool:
            seen[:] = self.look(*names)
            return seen == list(lines)

        try:
            self.target.eventually("the interfaces are as they should be", is_reached, 2)
        except Exception:
            self.assertEqual(seen, list(lines))
        self.assertEqual(self.agent.ask("drift")["drift"], [])

    def change(self, *words: str) -> Completed:
        """Runs `cleat` with words that change settings, which must succeed."""
        done = self.agent.cleat(*words, timeout=60)
        self.assertEqual(done.status, 0, str(done))
        return done

    def kill_in_trial(self, change: str) -> None:
        """Kills the service at the end of a trial, and waits until it is over."""
        self.change("extend", "1s", change)
        self.restart()
        self.target.eventually("the trial is over", lambda: self.agent.status().get("trial") is None)

    def live(self, path: str) -> str:
        """The value of a setting as the system has it."""
        done = self.agent.cleat("get", "--live", f"{PATH}/{path}")
        self.assertEqual(done.status, 0, str(done))
        return done.out

    @staticmethod
    def vlan(*words: str, parent: str = TRUNK, name: str = VLAN, number: int = 10) -> tuple[str, ...]:
        """The words that set a VLAN."""
        return ("set", f"{PATH}/{name}/vlan/parent={parent}", f"{PATH}/{name}/vlan/id={number}", *words)

    @staticmethod
    def bond(*ports: str) -> tuple[str, ...]:
        """The words that set a bond with an address."""
        listed = ",".join(f'"{port}"' for port in ports)
        return (
            "set", f"{PATH}/{BOND}/bond/ports=[{listed}]", f"{PATH}/{BOND}/bond/mode=active-backup",
            f'{PATH}/{BOND}/addresses=["192.0.2.1/24"]')

    upper_vlan = vlan(f'{PATH}/{UPPER}/addresses=["198.18.0.1/24"]', parent=BOND, name=UPPER, number=20)
    # What the kernel has then.
    upper = f"{UPPER} UP 198.18.0.1/24 vlan 20 of {BOND}"
    made = f"{VLAN} UP 192.0.2.1/24 vlan 10 of {TRUNK}"
    bonded = f"{BOND} UP 192.0.2.1/24 active-backup 1 100 {LEFT} {RIGHT}"
    left, right = f"{LEFT} UP {BOND}", f"{RIGHT} UP {BOND}"

    # The scenarios

    def test_a_vlan(self) -> None:
        self.change(*self.vlan(ADDRESS))
        self.assert_state(self.made, self.before[0])
        self.assertIn("10", self.live(f"{VLAN}/vlan/id"))
        self.assertIn(TRUNK, self.live(f"{VLAN}/vlan/parent"))
        self.change("set", f'{PATH}/{VLAN}/addresses=["198.18.0.1/24"]', "--confirm", "10m", "--id", "t1")
        self.assert_state(f"{VLAN} UP 192.0.2.1/24 198.18.0.1/24 vlan 10 of {TRUNK}", self.before[0])
        self.change("abort", "t1")
        self.assert_state(self.made, self.before[0])
        self.change("unset", f"{PATH}/{VLAN}")
        self.assert_state(f"{VLAN} none", *self.before)

    def test_a_trial_of_a_vlan_ends_with_a_killed_service(self) -> None:
        self.change(*self.vlan(ADDRESS))
        self.change("set", f'{PATH}/{VLAN}/addresses=["198.18.0.1/24"]', "--confirm", "10m", "--id", "t1")
        self.kill_in_trial("t1")
        self.assert_state(self.made, self.before[0])
        self.change("unset", f"{PATH}/{VLAN}")
        self.change(*self.vlan(ADDRESS), "--confirm", "10m", "--id", "t2")
        self.assert_state(self.made, self.before[0])
        self.kill_in_trial("t2")
        self.assert_state(f"{VLAN} none", *self.before)

    def test_a_parent_that_appears_later(self) -> None:
        self.change(*self.vlan(f'{PATH}/late.10/addresses=["192.0.2.1/24"]', parent=LATE, name="late.10"))
        self.assert_state("late.10 none")
        for _ in range(2):
            self.make(LATE)
            self.assert_state("late.10 UP 192.0.2.1/24 vlan 10 of late", f"{LATE} UP")
            self.target.check(f"ip link del {LATE}")

    def test_a_bond(self) -> None:
        self.change(*self.bond(LEFT, RIGHT), "--confirm", "10m", "--id", "t0")
        self.assert_state(self.bonded, self.left, self.right)
        self.change("abort", "t0")
        self.assert_state(f"{BOND} none", *self.before)
        self.change(*self.bond(LEFT, RIGHT))
        self.assert_state(self.bonded, self.left, self.right)
        self.assertIn("active-backup", self.live(f"{BOND}/bond/mode"))
        self.change("set", f'{PATH}/{BOND}/bond/ports=["{RIGHT}"]', "--confirm", "10m", "--id", "t1")
        self.assert_state(f"{BOND} UP 192.0.2.1/24 active-backup 1 100 {RIGHT}", self.before[1], self.right)
        self.change("abort", "t1")
        self.assert_state(self.bonded, self.left, self.right)
        self.change("unset", f"{PATH}/{BOND}")
        self.assert_state(f"{BOND} none", *self.before)

    def test_a_port_that_appears_later(self) -> None:
        self.change(*self.bond(LEFT, LATE))
        self.assert_state(f"{BOND} UP 192.0.2.1/24 active-backup 1 100 {LEFT}", self.left)
        for _ in range(2):
            self.make(LATE)
            self.assert_state(
                f"{BOND} UP 192.0.2.1/24 active-backup 1 100 {LATE} {LEFT}", self.left, f"{LATE} UP {BOND}")
            self.target.check(f"ip link del {LATE}")

    def test_a_vlan_on_a_bond(self) -> None:
        self.change(*self.upper_vlan, *self.bond(LEFT, RIGHT)[1:])
        self.assert_state(self.upper, self.bonded, self.left, self.right)
        self.change("unset", f"{PATH}/{UPPER}", f"{PATH}/{BOND}")
        self.assert_state(f"{UPPER} none", f"{BOND} none", *self.before)


class KernelLinkTests(VirtualLinks, OwnSystem):
    """Only the kernel runs the network: by rtnetlink."""

    needs = (*OwnSystem.needs, "busybox-init")
    # BusyBox gives the peer of a veth interface another name.
    make_link = "ip link add {0} type dummy"

    def serve(self) -> None:
        self.target.check(f"ip link set {TRUNK} up; ip addr add 203.0.113.5/24 dev {TRUNK}")
        for name, number in NETWORKS.items():
            self.target.check(
                f"ip link set {name} up; ip addr add 10.{number}.0.1/24 dev {name}; "
                f"ip route add 10.{number}.8.0/24 via 10.{number}.0.9")
        self.agent = self.own_agent()
        self.agent.start()

    def restart(self) -> None:
        self.agent.kill()
        self.agent.start()

    def test_another_number(self) -> None:
        self.change(*self.vlan(ADDRESS))
        for verb, number in (("abort", 10), ("confirm", 30)):
            self.change("set", f"{PATH}/{VLAN}/vlan/id=30", "--confirm", "10m", "--id", verb)
            self.assert_state(self.made.replace("vlan 10", "vlan 30"), self.before[0])
            self.change(verb, verb)
            self.assert_state(self.made.replace("vlan 10", f"vlan {number}"), self.before[0])

    def test_another_mode_below_a_vlan(self) -> None:
        self.change(*self.bond(LEFT, RIGHT))
        self.change(*self.upper_vlan)
        other = self.bonded.replace("active-backup 1", "balance-rr 0")
        for verb, state in (("abort", self.bonded), ("confirm", other)):
            self.change("set", f"{PATH}/{BOND}/bond/mode=balance-rr", "--confirm", "10m", "--id", verb)
            self.assert_state(self.upper, other, self.left, self.right)
            self.change(verb, verb)
            self.assert_state(self.upper, state, self.left, self.right)

    def test_a_parent_that_changes_with_its_vlan(self) -> None:
        self.change(*self.vlan(ADDRESS))
        both = (f"{PATH}/{TRUNK}", f"{PATH}/{VLAN}")
        sizes = f"cat /sys/class/net/{TRUNK}/mtu /sys/class/net/{VLAN}/mtu"
        for size in (9000, 1400):
            self.change("set", *(f"{path}/mtu={size}" for path in both), "--confirm", "10m", "--id", f"t{size}")
            self.assertEqual(self.target.check(sizes).split(), [str(size)] * 2)
            self.change("abort", f"t{size}")
            self.assertEqual(self.target.check(sizes).split(), ["1500"] * 2)
        self.change("set", *(f"{path}/enabled=false" for path in both), "--confirm", "10m", "--id", "off")
        self.assert_state(self.made.replace(" UP", ""), self.before[0].replace(" UP", ""))
        self.change("abort", "off")
        self.assert_state(self.made, self.before[0])

    def test_a_reboot(self) -> None:
        self.change(*self.vlan(ADDRESS.replace("192.0.2.1", "198.18.0.1")), *self.bond(LEFT, RIGHT)[1:])
        self.target.reboot()
        self.target.run("ip link del bond0")
        for name in PORTS:
            self.make(name)
        self.agent = self.own_agent()
        self.agent.start()
        self.assert_state(
            self.made.replace("192.0.2.1", "198.18.0.1"), f"{TRUNK} UP", self.bonded, self.left, self.right)


class ServiceLinkTests(VirtualLinks):
    """The installed service next to another one that runs the network."""

    needs = ("wifi", "systemd", "deploy", "root")
    #: The unit of the network service.
    unit = ""

    @classmethod
    def prepare(cls) -> None:
        install(cls.target)

    @classmethod
    def tearDownClass(cls) -> None:
        if cls.can_run() and cls.target.is_alive():
            remove(cls.target)

    def serve(self) -> None:
        for name, number in NETWORKS.items():
            self.configure(name, f"10.{number}.0.1/24", f"10.{number}.8.0/24", f"10.{number}.0.9")
        self.target.check(f"ip link set {TRUNK} up; systemctl daemon-reload; systemctl start {self.unit}", timeout=20)
        wanted = [f"{name} UP 10.{number}.0.1/24 10.{number}.8.0/24 via 10.{number}.0.9" for name, number in NETWORKS.items()]
        self.target.eventually("the interfaces are configured", lambda: self.look(*NETWORKS) == wanted, 20)
        self.agent = Deployed(self.target)
        self.target.check("systemctl start cleatd", timeout=20)

    def configure(self, name: str, address: str, destination: str, gateway: str) -> None:
        """Writes the file of an administrator for an interface."""
        raise NotImplementedError

    def restart(self) -> None:
        pid = self.agent.pid
        self.target.check(f"kill -9 {pid}")
        self.target.eventually("it is started again", lambda: self.agent.is_ready() and self.agent.pid != pid, 30)

    def _clean_up(self) -> None:
        if self.target.is_alive():
            self.target.run(
                f"systemctl stop cleatd {self.unit}; systemctl reset-failed; rm -rf /var/lib/cleat "
                "/etc/systemd/network/* /etc/NetworkManager/system-connections/* /etc/NetworkManager/conf.d/* "
                "/var/lib/NetworkManager/*", timeout=30)
        super()._clean_up()


class NetworkdLinkTests(ServiceLinkTests):
    """systemd-networkd runs the network."""

    unit = "systemd-networkd.service systemd-networkd.socket"

    def configure(self, name: str, address: str, destination: str, gateway: str) -> None:
        self.target.put(
            f"[Match]\nName={name}\n[Network]\nDHCP=no\nAddress={address}\n[Route]\nDestination={destination}\n"
            f"Gateway={gateway}\n".encode(), f"/etc/systemd/network/20-{name}.network")


class NetworkManagerLinkTests(ServiceLinkTests):
    """NetworkManager runs the network."""

    unit = "NetworkManager.service"

    def serve(self) -> None:
        # A rule of udev has it ignore veth interfaces.
        self.target.put(
            b"[main]\nno-auto-default=*\n[device]\nmatch-device=interface-name:trunk;interface-name:left;"
            b"interface-name:right;interface-name:late\nmanaged=1\n", "/etc/NetworkManager/conf.d/ports.conf")
        super().serve()

    def configure(self, name: str, address: str, destination: str, gateway: str) -> None:
        self.target.put(
            f"[connection]\nid={name}\ntype=ethernet\ninterface-name={name}\n[ipv4]\nmethod=manual\n"
            f"address1={address}\nroute1={destination},{gateway}\n[ipv6]\nmethod=disabled\n".encode(),
            f"/etc/NetworkManager/system-connections/{name}.nmconnection", mode=0o600)


# Classes without a network service of their own have no tests.
del VirtualLinks, ServiceLinkTests

if __name__ == "__main__":
    unittest.main()
