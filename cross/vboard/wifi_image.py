"""The Wi-Fi image: the Debian image with simulated radios, an access point and the two usual clients."""

from __future__ import annotations

from pathlib import Path

from . import debian_image
from .guest import Guest
from .packages import SUITE, Package, Packages

__all__ = ["APPEND", "SUITE", "build", "packages", "wait_until_up"]
HERE = Path(__file__).resolve().parent
APPEND = debian_image.APPEND
MORE = "dbus network-manager wpasupplicant hostapd iw wireless-regdb dnsmasq-base".split()
"""Further packages; none of their services is enabled."""

MODULES = "mac80211_hwsim ccm gcm cmac ctr af_packet".split()
"""The radios, what mac80211 asks the kernel's crypto for, and the sockets of the authentication frames."""

RADIOS = ("wlan0", "wlan1", "wlan2")
"""The interfaces of the radios; the number of them is in `wifi/root/usr/lib/modprobe.d`."""


def packages(mirror: Packages) -> list[Package]:
    """Returns what the image is made of, as `debian_image.packages`."""
    return debian_image.packages(mirror, MORE)


def build(debs: list[Path], destination: Path, work: Path) -> None:
    """Makes the files of `debian_image.build` in the destination."""
    debian_image.build(debs, destination, work, more_modules=MODULES, overlays=[HERE / "wifi"])


def wait_until_up(board: Guest, timeout: float = 180) -> None:
    """Waits as the Debian image does, and for the radios."""
    debian_image.wait_until_up(board, timeout)
    for name in RADIOS:
        board.wait_for(f"/sys/class/net/{name}", timeout=timeout)
