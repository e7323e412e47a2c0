"""The network services of the table: how each one is started in namespaces, and its configuration before Cleat.

All of them have the same configuration of the administrator: an address, a gateway, a route and a name server.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
INTERFACE = "cleat0"
#: The bridge of that interface, in the step that makes one.
BRIDGE = "br0"
SETTINGS = f"network/interfaces/{INTERFACE}"
NETWORKD = Path("/usr/lib/systemd/systemd-networkd")
NETWORK_MANAGER = REPOSITORY / ".build-networkmanager/usr"
IFUPDOWN = REPOSITORY / ".build-ifupdown"
BUSYBOX = REPOSITORY / ".build-busybox/busybox"

#: Starts a bus of the machine's own, at the place of the system's.
BUS = """
mkdir -p /run/dbus
cat >/run/dbus/bus.conf <<'END'
<busconfig>
<listen>unix:path=/run/dbus/system_bus_socket</listen>
<auth>EXTERNAL</auth>
<policy context="default">
<allow user="*"/><allow own="*"/><allow send_destination="*"/><allow receive_sender="*"/>
</policy>
</busconfig>
END
dbus-daemon --config-file=/run/dbus/bus.conf --nofork --nopidfile >>$D/bus.log 2>&1 &
while ! test -S /run/dbus/system_bus_socket; do sleep 0.02; done
"""
#: Adds the board's own programs to /usr.
OWN_PROGRAMS = "mount -t overlay -o lowerdir=$D/programs/usr:/usr overlay /usr\n"
RESOLVED_BY_FILE = "sed -n 's/^nameserver /dns /p; s/^search /search /p' /etc/resolv.conf"


@dataclass(frozen=True)
class Service:
    """A network service."""

    name: str
    #: Returns the reason why the service cannot run here; None if it can.
    lacks: Callable[[], str | None]
    #: The lines of shell scripts: on the machine, to make the disk `$D`;
    seed: str
    #: in the namespaces, before anything runs;
    mounts: str
    #: that start the service, after Cleat, at each boot;
    start: str
    #: that end with 0 if it runs;
    running: str
    #: that have the interface configured without Cleat, at the first boot only;
    first_start: str = ""
    #: that change what the administrator has to change before Cleat can be used;
    hand_over: str = ""
    #: The program by which Cleat has the service apply a change; empty if there is none.
    tool: str = ""
    #: Prints `dns` and `search` lines with the name servers and domains in use.
    resolver: str = RESOLVED_BY_FILE
    has_ipv6_modes: bool = True
    has_bridges: bool = True
    #: The settings are taken from the service's own configuration before the first change.
    is_adopted: bool = False
    #: Routes of others stay where Cleat configures the kernel.
    keeps_routes: bool = False


def _needs(*words: str) -> str | None:
    """Returns the reason if a program, or a file of a package, is missing."""
    for word in words:
        if not (Path(word).exists() if word.startswith("/") else shutil.which(word)):
            return f"needs {word} (.ci/setup test)"
    return None


def _overlay() -> str | None:
    """Returns the reason if the kernel has no overlayfs."""
    text = Path("/proc/filesystems").read_text(encoding="utf-8")
    return None if "\toverlay\n" in text else "needs overlayfs"


def _enable(unit: str) -> str:
    """Returns the lines that enable a unit of systemd."""
    return f"""
mkdir -p $D/etc/systemd/system/multi-user.target.wants
ln -s /usr/lib/systemd/system/{unit} $D/etc/systemd/system/multi-user.target.wants/
"""


network_manager = Service(
    name="NetworkManager",
    lacks=lambda: _needs(str(NETWORK_MANAGER / "sbin/NetworkManager"), str(NETWORK_MANAGER / "bin/nmcli"), "dbus-daemon")
    or _overlay(),
    seed=_enable("NetworkManager.service") + f"""
mkdir -p $D/lib/NetworkManager $D/etc/NetworkManager/system-connections $D/etc/NetworkManager/conf.d
cat >$D/etc/NetworkManager/NetworkManager.conf <<'END'
[main]
plugins=keyfile
[device-peer]
match-device=interface-name:=peer0
managed=0
END
cat >$D/etc/NetworkManager/system-connections/office.nmconnection <<'END'
[connection]
id=office
uuid=0fb3a6a2-9e3f-4dd6-9f3c-4f5f2a1b7c11
type=ethernet
interface-name={INTERFACE}

[ethernet]

[ipv4]
address1=203.0.113.5/24,203.0.113.9
dns=203.0.113.53;
method=manual
route1=10.9.0.0/16,203.0.113.8

[ipv6]
addr-gen-mode=default
method=auto
END
chmod 600 $D/etc/NetworkManager/system-connections/office.nmconnection
""",
    mounts=f"""
mount -t overlay -o lowerdir=$D/programs/usr:{NETWORK_MANAGER}:/usr overlay /usr
mkdir -p /run/NetworkManager
""",
    start=BUS + "/usr/sbin/NetworkManager --no-daemon --log-level=INFO >>$D/NetworkManager.log 2>&1 &\n",
    running="nmcli -t general status >/dev/null 2>&1",
    tool="/usr/bin/nmcli",
    is_adopted=True,
)

networkd = Service(
    name="systemd-networkd",
    lacks=lambda: _needs(str(NETWORKD), "networkctl", "dbus-daemon") or _overlay(),
    seed=_enable("systemd-networkd.service") + f"""
mkdir -p $D/etc/systemd/network
cat >$D/etc/systemd/network/20-theirs.network <<'END'
[Match]
Name={INTERFACE}
[Network]
DHCP=no
Address=203.0.113.5/24
Gateway=203.0.113.9
DNS=203.0.113.53
[Route]
Destination=10.9.0.0/16
Gateway=203.0.113.8
END
""",
    mounts=OWN_PROGRAMS + "mkdir -p /run/systemd\n",
    start=BUS + f"""
mkdir -p /run/systemd/netif
chown systemd-network /run/systemd/netif
{NETWORKD} >>$D/networkd.log 2>&1 &
""",
    running="test -e /run/systemd/netif/state",
    resolver="cat /run/systemd/netif/links/* 2>/dev/null | sed -n 's/^DNS=/dns /p; s/^DOMAINS=/search /p'",
    tool="/usr/bin/networkctl",
)


def _ifupdown(name: str, lacks: Callable[[], str | None], programs: str) -> Service:
    """Returns ifupdown with the programs of one of its makers."""
    return Service(
        name=name, lacks=lacks,
        seed=programs + f"""
mkdir -p $D/etc/network/interfaces.d $D/etc/udhcpc
for part in pre-up up down post-down; do mkdir -p $D/etc/network/if-$part.d; done
cat >$D/etc/network/interfaces <<'END'
source-directory /etc/network/interfaces.d
END
cp $D/etc/network/interfaces $D/interfaces.cleat
cat >>$D/etc/network/interfaces <<'END'
auto {INTERFACE}
iface {INTERFACE} inet static
    address 203.0.113.5
    netmask 255.255.255.0
    gateway 203.0.113.9
    up ip route add 10.9.0.0/16 via 203.0.113.8
END
""",
        mounts=OWN_PROGRAMS + "mkdir -p /run/network\n",
        start="ifup -a >>$D/ifup.log 2>&1\n",
        running="true",
        hand_over="cp $D/interfaces.cleat /etc/network/interfaces\n",
        tool="/usr/sbin/ifup",
        has_bridges=False,
    )


debian_ifupdown = _ifupdown(
    "ifupdown (Debian)", lambda: _needs(str(IFUPDOWN / "sbin/ifup")) or _overlay(), f"""
mkdir -p $D/programs/usr/lib
cp -a {IFUPDOWN}/sbin/ifup {IFUPDOWN}/sbin/ifdown $D/programs/usr/sbin
cp -a {IFUPDOWN}/lib/ifupdown $D/programs/usr/lib
""")
busybox_ifupdown = _ifupdown(
    "ifupdown (BusyBox)", lambda: _needs(str(BUSYBOX), "run-parts") or _overlay(), f"""
cp -a {BUSYBOX} $D/programs/usr/sbin/busybox
for name in ifup ifdown; do ln -s busybox $D/programs/usr/sbin/$name; done
""")
kernel = Service(
    name="kernel (rtnetlink)",
    lacks=lambda: None,
    seed="",
    mounts="",
    start="true",
    running="true",
    first_start=f"""
ip link set {INTERFACE} up
ip address add 203.0.113.5/24 dev {INTERFACE}
ip route add default via 203.0.113.9
ip route add 10.9.0.0/16 via 203.0.113.8
""",
    has_ipv6_modes=False,
    keeps_routes=True,
)

SERVICES = {
    "networkmanager": network_manager, "networkd": networkd, "ifupdown": debian_ifupdown, "busybox": busybox_ifupdown,
    "kernel": kernel,
}
