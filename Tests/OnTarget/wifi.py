"""The common parts of Wi-Fi tests: a client on one simulated radio of a board, and an access point on another one."""

from __future__ import annotations

import shlex

from on_target import OnTarget
from target.process import Completed

#: The interface of the client, which NetworkManager or wpa_supplicant controls.
CLIENT = "wlan0"
#: The network namespace of the access point: what the client sends there has no other way than the air.
NAMESPACE = "access-point"
ADDRESS = "192.0.2.1"
SUPPLICANT_FILE = f"/etc/wpa_supplicant/wpa_supplicant-{CLIENT}.conf"
PROFILES = "/etc/NetworkManager/system-connections"

_INSIDE = f"ip netns exec {NAMESPACE}"
_FILES = "/run/access-point"
_SECURITY = {
    "open": "",
    "wpa2": "wpa=2\nwpa_key_mgmt=WPA-PSK\nrsn_pairwise=CCMP\nwpa_passphrase={passphrase}\n",
    "wpa3": "wpa=2\nwpa_key_mgmt=SAE\nrsn_pairwise=CCMP\nieee80211w=2\nsae_password={passphrase}\n",
}


class WiFi(OnTarget):
    """Tests of a client: `access_point` starts the other side, and everything is stopped and removed after each test."""

    needs = ("wifi", "systemd", "deploy", "root")

    def _clean_up(self) -> None:
        if self.target.is_alive():
            self.stop_access_point()
            self.target.run(
                f"systemctl stop NetworkManager wpa_supplicant wpa_supplicant@{CLIENT}; "
                f"systemctl reset-failed wpa_supplicant@{CLIENT}; "
                f"rm -rf {PROFILES}/* /var/lib/NetworkManager/* {SUPPLICANT_FILE}; "
                f"ip addr flush dev {CLIENT}; ip link set {CLIENT} down; iw reg set 00", timeout=20)
        super()._clean_up()

    # The access point

    def access_point(
        self, ssid: str = "workshop", passphrase: str = "correct horse", security: str = "wpa2", *, hidden: bool = False,
        leases: bool = True,
    ) -> None:
        """Starts an access point at 192.0.2.1 on wlan1, in place of the present one, with a DHCP server or without `leases`.

        `security` is open, wpa2 (WPA2-PSK) or wpa3 (SAE with protected management frames).
        """
        self.stop_access_point()
        self.target.check(
            f"mkdir -p {_FILES}; test -e /run/netns/{NAMESPACE} || ip netns add {NAMESPACE}; "
            "test ! -e /sys/class/net/wlan1 || "
            f"iw phy $(cat /sys/class/net/wlan1/phy80211/name) set netns name {NAMESPACE}")
        text = f"interface=wlan1\nssid2={ssid.encode().hex()}\nhw_mode=g\nchannel=1\nignore_broadcast_ssid={int(hidden)}\n"
        self.target.put(
            (text + _SECURITY[security].format(passphrase=passphrase)).encode(), f"{_FILES}/hostapd.conf", mode=0o600)
        # It is in the background when the access point is enabled.
        self.target.check(f"{_INSIDE} hostapd -B -P {_FILES}/hostapd.pid {_FILES}/hostapd.conf")
        self.target.check(f"ip -n {NAMESPACE} addr replace {ADDRESS}/24 dev wlan1")
        if leases:
            self.start_dhcp_server()

    def start_dhcp_server(self) -> None:
        """Starts the DHCP server of the access point."""
        self.target.check(
            f"{_INSIDE} dnsmasq --conf-file=/dev/null --user=root "
            f"--pid-file={_FILES}/dnsmasq.pid --dhcp-leasefile={_FILES}/leases --port=0 --interface=wlan1 "
            "--bind-interfaces --no-ping --dhcp-range=192.0.2.100,192.0.2.150,1h")

    def stop_access_point(self, *, abruptly: bool = False) -> None:
        """Stops the access point: it deauthenticates its clients, or `abruptly` only sends no more beacons."""
        signal = "KILL" if abruptly else "TERM"
        self.target.check(
            f"cd {_FILES} 2>/dev/null || exit 0; "
            f"for one in hostapd:{signal} dnsmasq:TERM; do "
            "test -e ${one%:*}.pid || continue; "
            "pid=$(cat ${one%:*}.pid); kill -${one#*:} $pid; while test -e /proc/$pid; do sleep 0.05; done; "
            "rm -f ${one%:*}.pid; done")

    def clients(self) -> list[str]:
        """Returns the addresses of the clients that the access point has."""
        said = self.target.check(f"{_INSIDE} iw dev wlan1 station dump")
        return [line.split()[1] for line in said.splitlines() if line.startswith("Station")]

    def assert_connected(self) -> None:
        """Pings the access point through the air."""
        self.target.check(f"ping -c 3 -W 5 -I {CLIENT} {ADDRESS}")
        own = self.target.check(f"cat /sys/class/net/{CLIENT}/address").strip()
        self.assertEqual(self.clients(), [own])

    # wpa_supplicant alone

    def start_wpa_supplicant(self, text: str, *, address: str = "192.0.2.2/24") -> None:
        """Starts wpa_supplicant with a configuration file, and gives the interface an address."""
        self.target.put(text.encode(), SUPPLICANT_FILE, mode=0o600)
        self.target.check(f"systemctl start wpa_supplicant@{CLIENT}; ip addr replace {address} dev {CLIENT}", timeout=10)
        # The service is started before its socket exists.
        self.target.eventually("wpa_supplicant answers", lambda: "PONG" in self.wpa("ping"))

    def wpa(self, *words: str) -> str:
        """Returns the output of `wpa_cli`, which reports a refused command as FAIL, with the exit status 0."""
        return self.target.run(["wpa_cli", "-i", CLIENT, *words]).out

    def wpa_status(self) -> dict[str, str]:
        """Returns the status of wpa_supplicant: wpa_state, ssid, key_mgmt and others."""
        return dict(line.split("=", 1) for line in self.wpa("status").splitlines() if "=" in line)

    def wait_for_wpa_state(self, state: str, timeout: float = 10) -> dict[str, str]:
        """Waits until wpa_supplicant is in a state: COMPLETED when it is connected."""
        def reached() -> dict[str, str] | None:
            status = self.wpa_status()
            return status if status.get("wpa_state") == state else None

        return self.target.eventually(f"wpa_supplicant is in the state {state}", reached, timeout)

    def wpa_networks(self) -> dict[str, str]:
        """Returns the flags of each SSID in wpa_supplicant's list: `[CURRENT]`, `[TEMP-DISABLED]`, or none."""
        rows = [line.split("\t") for line in self.wpa("list_networks").splitlines()]
        return {row[1]: row[3] for row in rows if len(row) == 4}

    # NetworkManager

    def start_network_manager(self) -> None:
        """Starts NetworkManager and waits until it can use the radio."""
        self.target.check("systemctl start NetworkManager", timeout=20)
        self.target.eventually(
            f"NetworkManager can use {CLIENT}", lambda: int(self.device()["GENERAL.STATE"].split()[0]) >= 30)

    def device(self) -> dict[str, str]:
        """Returns the state of the interface: GENERAL.STATE, GENERAL.REASON, GENERAL.CONNECTION, IP4.ADDRESS[1]."""
        said = self.target.run(
            ["nmcli", "-t", "-f", "GENERAL.STATE,GENERAL.REASON,GENERAL.CONNECTION,IP4.ADDRESS", "device", "show", CLIENT])
        found = dict(line.split(":", 1) for line in said.out.splitlines() if ":" in line)
        return {"GENERAL.STATE": "0 (unknown)", **found}

    def write_profile(self, name: str, text: str) -> None:
        """Writes a profile that root alone can read, as NetworkManager demands, and loads it."""
        path = f"{PROFILES}/{name}.nmconnection"
        self.target.put(text.encode(), path, mode=0o600)
        # A rejected file is reported by this text alone; the status is 0.
        self.assertEqual(self.target.check(f"nmcli connection load {shlex.quote(path)} 2>&1"), "")

    def activate(self, uuid: str, *, wait: int = 90) -> Completed:
        """Activates a profile and returns how `nmcli` ended: with 0 when the interface has an address, or 4."""
        return self.target.run(["nmcli", "--wait", str(wait), "connection", "up", uuid], timeout=wait)
