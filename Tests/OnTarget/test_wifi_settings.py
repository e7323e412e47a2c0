"""Wi-Fi networks by settings, with the real NetworkManager and wpa_supplicant, over simulated radios.

`cross/test vboard --image wifi --suite system --filter wifi`
"""

from __future__ import annotations

import time
import unittest

from target.process import Completed
from test_deploy import Deployed, install, remove
from test_wifi import UUID, profile
from wifi import ADDRESS, CLIENT, NAMESPACE, PROFILES, SUPPLICANT_FILE, WiFi

INTERFACE = f"network/interfaces/{CLIENT}"
WORKSHOP = f"{INTERFACE}/wifi/workshop"
HOME = f"{INTERFACE}/wifi/home"
PASSPHRASE = "correct horse"
FIXED = f"{INTERFACE}/addresses=[\"192.0.2.77/24\"]"


class CleatWiFi(WiFi):
    """The service on a board whose radio one of the clients controls."""

    @classmethod
    def prepare(cls) -> None:
        install(cls.target)

    @classmethod
    def tearDownClass(cls) -> None:
        if cls.can_run() and cls.target.is_alive():
            remove(cls.target)

    def setUp(self) -> None:
        super().setUp()
        self.agent = Deployed(self.target)

    def _clean_up(self) -> None:
        if self.target.is_alive():
            self.target.run("systemctl stop cleatd; rm -rf /var/lib/cleat", timeout=20)
            self.target.run("rm -f /etc/systemd/system/multi-user.target.wants/wpa_supplicant@*; systemctl daemon-reload")
        super()._clean_up()

    def serve(self) -> None:
        """Starts the service, after what runs the network."""
        self.target.check("systemctl start cleatd", timeout=20)

    def change(self, *words: str, status: int = 0) -> Completed:
        """Runs `cleat` with words that change settings, which must end with a status; no passphrase may be printed."""
        done = self.agent.cleat(*words, timeout=120)
        self.assertEqual(done.status, status, str(done))
        self.assertNotIn("horse", done.out + done.err)
        return done

    def join(self, path: str = WORKSHOP, ssid: str = "workshop", *more: str, passphrase: str = PASSPHRASE) -> list[str]:
        """The words that set a network."""
        return [f"{path}/ssid={ssid}", f"{path}/passphrase={passphrase}", *more]

    def file_states(self) -> str:
        """Returns mode, owner and content of the files that configure the services of the network, and which are enabled."""
        return self.target.check(
            "cd /etc; find NetworkManager wpa_supplicant systemd ! -type f -printf '%p %m %U:%G %l\\n' -o "
            "-printf '%p %m %U:%G\\n' -exec sha256sum {} ';' | sort")

    def wait_until_joined(self, timeout: float = 20) -> None:
        """Waits until the former network is set and joined, and requires that no difference is found."""
        self.target.eventually(
            "the former network is joined", lambda: self.agent.is_ready()
            and self.agent.get(f"{WORKSHOP}/ssid") == "workshop" and len(self.clients()) == 1, timeout)
        self.wait_for_address()
        self.assert_connected()
        self.assert_no_drift()

    def wait_for_address(self) -> None:
        """Waits until the access point can be reached."""
        self.target.eventually(
            "the access point answers", lambda: self.target.run(f"ping -c 1 -W 2 -I {CLIENT} {ADDRESS}").status == 0, 10)

    def assert_no_drift(self) -> None:
        """Requires that `cleat drift` finds nothing and ends with 0."""
        done = self.agent.cleat("drift", timeout=30)
        self.assertEqual(done.status, 0, str(done))

    def assert_drift_of(self, name: str) -> None:
        """Requires that `cleat drift` names a file or an interface, without its passphrase, and ends with 1."""
        done = self.agent.cleat("drift", timeout=30)
        self.assertEqual(done.status, 1, str(done))
        self.assertIn(name, done.out)
        self.assertNotIn("horse", done.out + done.err)


class SettingTests(CleatWiFi):
    """The steps that are the same for both services."""

    #: The words that set the addresses of the interface next to its network.
    addresses: tuple[str, ...] = ()
    #: The file of Cleat with the network `workshop`.
    file = ""
    #: The words of the answer when the access point refuses the passphrase.
    refusal = ""
    #: The units that a board with this service starts at boot by itself.
    units = ""

    def start_network(self) -> None:
        """Starts what runs the network, before the service."""
        raise NotImplementedError

    def start_dhcp_client(self) -> None:
        """Starts what gets leases, unless it runs."""

    def setUp(self) -> None:
        super().setUp()
        self.access_point()
        self.start_network()
        self.serve()

    def connect(self) -> None:
        """Joins the network, with addresses."""
        self.change("set", *self.join(), *self.addresses)
        self.assert_connected()

    def lose(self, *words: str) -> None:
        """Changes the network to one that is out of range, on trial."""
        self.change("set", "--confirm", *words, f"{WORKSHOP}/ssid=nowhere", f"{WORKSHOP}/passphrase=battery staple")
        self.assertEqual(self.clients(), [])

    # The steps

    def test_a_refused_passphrase_changes_nothing(self) -> None:
        self.connect()
        done = self.change("set", f"{WORKSHOP}/passphrase=wrong horse", status=10)
        self.assertIn(self.refusal, done.err)
        self.assert_connected()
        self.assert_no_drift()

    def test_a_trial_that_loses_the_access_point_reverts(self) -> None:
        self.connect()
        self.lose("30s")
        self.wait_until_joined()

    def test_a_kill_in_a_trial(self) -> None:
        self.connect()
        pid = self.agent.pid
        self.lose("20s")
        self.target.check(f"kill -9 {pid}")
        self.target.eventually("it is started again", self.agent.is_ready, 30)
        self.assertNotEqual(self.agent.pid, pid)
        self.wait_until_joined()

    def test_a_confirmed_trial_outlives_a_restart(self) -> None:
        self.change("set", "--confirm", "5m", "--id", "keep", *self.join(), *self.addresses)
        self.assert_connected()
        self.change("confirm", "keep")
        self.assert_connected()
        self.target.check("systemctl restart cleatd", timeout=30)
        self.assertEqual(self.agent.get(f"{WORKSHOP}/ssid"), "workshop")
        self.assert_connected()
        self.assert_no_drift()

    def test_an_edited_file_is_reported_and_reapplied(self) -> None:
        self.connect()
        before = self.file_states()
        for words in ([self.file], ["--all"]):
            self.target.check(
                f"sed -i 's/^\\(\\s*\\)ssid=.*/\\1ssid=\"edited\"/' {self.file}; grep -q edited {self.file}")
            self.assert_drift_of(self.file)
            self.change("set", f"{WORKSHOP}/priority=3", status=65)
            self.change("reapply", *words)
            self.assertEqual(self.file_states(), before)
            self.wait_until_joined()

    def test_a_reset_restores_the_files(self) -> None:
        before = self.file_states()
        self.change("set", *self.join(), *self.join(HOME, "home"), *self.addresses)
        self.assert_connected()
        self.assertNotEqual(self.file_states(), before)
        self.change("reset", "--yes")
        self.assertEqual(self.file_states(), before)
        self.target.eventually("no network is joined", lambda: self.clients() == [])
        self.assert_no_drift()

    def test_no_dhcp_server_answers(self) -> None:
        self.access_point(leases=False)
        self.start_dhcp_client()
        begin = time.monotonic()
        done = self.change("set", *self.join())
        self.assertLess(time.monotonic() - begin, 90, str(done))
        self.assertEqual(len(self.clients()), 1)
        self.assertNotIn(" inet ", self.target.check(f"ip address show dev {CLIENT}"))
        self.change("set", "--confirm", "10s", "--id", "t", f"{WORKSHOP}/priority=5")
        self.assertEqual(len(self.clients()), 1)
        self.target.eventually("the trial is over", lambda: self.agent.status().get("trial") is None, 10)
        self.assertEqual(self.agent.get(f"{WORKSHOP}/priority"), "0")
        self.start_dhcp_server()
        self.wait_until_joined()

    def test_a_power_cut_in_a_trial(self) -> None:
        self.addCleanup(self.target.run, f"systemctl disable cleatd {self.units}", timeout=30)
        self.target.check(f"systemctl enable cleatd {self.units}; sync", timeout=30)
        self.connect()
        before = self.file_states()
        self.lose("1d")
        self.assertNotEqual(self.file_states(), before)
        self.target.cut()
        self.target.reboot()
        self.target.eventually("it has started with the system", self.agent.is_ready, 30)
        self.assertEqual(self.file_states(), before)
        self.access_point()
        self.wait_until_joined()
        self.assertIsNone(self.agent.status().get("trial"))

    def test_a_change_over_the_network_that_it_changes(self) -> None:
        # An SSH session on the board, whose packets go through the air.
        self.change("set", *self.join(), FIXED)
        self.assert_connected()
        self.addCleanup(self.target.run, "rm -f /root/.ssh/authorized_keys")
        key = f"{self.directory}/key"
        self.target.check(
            f"dropbearkey -t ed25519 -f {key} | grep ^ssh- >/root/.ssh/authorized_keys; "
            "chmod 600 /root/.ssh/authorized_keys; systemctl start vboard-ssh", timeout=30)
        session = self.target.spawn(
            f"HOME={self.directory} ip netns exec {NAMESPACE} dbclient -y -y -i {key} root@192.0.2.77 "
            f"cleat set --id over {WORKSHOP}/ssid=nowhere 2>&1")
        self.addCleanup(session.close)
        said = ""
        while "on trial" not in said:
            line = session.read_line(20)
            self.assertIsNotNone(line, said)
            said += f"{line}\n"
        self.assertIn("the change may end your connection", said)
        self.target.eventually("the network is changed, on trial", lambda: self.agent.status().get("trial") is not None, 5)
        self.target.eventually("the connection is lost", lambda: self.clients() == [], 5)
        self.target.eventually(
            "the trial can be shortened", lambda: self.agent.cleat("extend", "5s", "over", timeout=10).status == 0, 10)
        self.wait_until_joined()


class NetworkManagerSettingTests(SettingTests):
    """NetworkManager joins networks by profiles of Cleat."""

    file = f"{PROFILES}/cleat-{CLIENT}+workshop.nmconnection"
    refusal = "Secrets were required"
    units = "NetworkManager"

    def start_network(self) -> None:
        self.start_network_manager()

    def test_it_joins_and_leaves(self) -> None:
        self.change("set", *self.join())
        self.assertEqual(self.device()["GENERAL.CONNECTION"], f"cleat-{CLIENT}-workshop")
        self.assert_connected()
        listed = self.agent.cleat("list", INTERFACE)
        self.assertNotIn("horse", listed.out)
        # Fixed addresses are those of the same profile.
        self.change("set", FIXED)
        self.target.check(f"ip address show dev {CLIENT} | grep -q 192.0.2.77/24")
        self.assert_connected()
        self.change("unset", INTERFACE)
        self.target.eventually("no network is joined", lambda: self.clients() == [])
        self.assertNotIn("cleat", self.target.check("ls /etc/NetworkManager/system-connections"))

    def test_the_network_with_the_greatest_priority_in_range(self) -> None:
        done = self.change("set", *self.join(HOME, "home", f"{HOME}/priority=9"))
        self.assertIn("could not be found", done.out + done.err)
        self.change("set", *self.join())
        self.assert_connected()
        self.change("unset", HOME)
        self.assert_connected()

    def test_wpa3_and_a_hidden_network(self) -> None:
        self.access_point("K\u00e4fer; 1", security="wpa3", hidden=True)
        self.change("set", *self.join(WORKSHOP, "K\u00e4fer; 1", f"{WORKSHOP}/security=wpa3", f"{WORKSHOP}/hidden=true"))
        self.assert_connected()

    def test_a_profile_of_others_is_named_adopted_and_restored(self) -> None:
        self.write_profile("office", profile(name="office"))
        self.assertEqual(self.activate(UUID).status, 0)
        before = self.file_states()
        done = self.change("set", *self.join(WORKSHOP, "elsewhere"), status=65)
        self.assertIn("office", done.err)
        self.change("adopt", f"interface:{CLIENT}")
        self.assertEqual(self.device()["GENERAL.CONNECTION"], f"cleat-{CLIENT}-workshop")
        self.assert_connected()
        self.assert_no_drift()
        self.change("reset", "--yes")
        self.assertEqual(self.file_states(), before)
        self.target.eventually("it is joined again", lambda: self.device()["GENERAL.CONNECTION"] == "office", 10)
        self.wait_for_address()

    def test_a_profile_that_nmcli_has_changed(self) -> None:
        self.connect()
        before = self.file_states()
        self.target.check(f"nmcli connection modify cleat-{CLIENT}-workshop connection.autoconnect-priority 5")
        self.assert_drift_of(self.file)
        self.change("reapply", self.file)
        self.assertEqual(self.file_states(), before)
        self.wait_until_joined()

    def test_a_killed_network_manager_in_a_trial(self) -> None:
        self.connect()
        self.lose("10m", "--id", "t")
        before = self.target.check("pgrep -x NetworkManager")
        self.target.check(f"kill -9 {before}")
        self.target.eventually(
            "systemd has started it again", lambda: self.target.run("pgrep -x NetworkManager").out not in ("", before))
        self.target.eventually("it can use the radio", lambda: int(self.device()["GENERAL.STATE"].split()[0]) >= 30)
        self.change("abort", "t")
        self.wait_until_joined()

    def test_a_stopped_network_manager(self) -> None:
        self.addCleanup(self.target.run, "systemctl disable NetworkManager", timeout=30)
        self.target.check("systemctl enable NetworkManager; systemctl stop NetworkManager", timeout=30)
        done = self.change("set", *self.join())
        self.assertIn(f"did not check {CLIENT} in the kernel: NetworkManager is not running", done.out)
        self.assertIn(f"did not join a Wi-Fi network with {CLIENT}", done.out)
        self.assertEqual(self.clients(), [])
        self.assert_no_drift()
        self.start_network_manager()
        self.wait_until_joined()


class SupplicantSettingTests(SettingTests):
    """wpa_supplicant joins networks by a file of Cleat; the addresses are configured by the kernel's own adapter."""

    addresses = (FIXED,)
    file = SUPPLICANT_FILE
    refusal = "the access point refuses the passphrase"

    def start_network(self) -> None:
        self.target.check("systemctl stop NetworkManager", timeout=20)

    def start_dhcp_client(self) -> None:
        units = "systemd-networkd.service systemd-networkd.socket"
        self.addCleanup(self.target.run, f"systemctl stop {units}; rm -f /etc/systemd/network/*", timeout=30)
        self.target.check("systemctl start systemd-networkd", timeout=30)

    def test_it_joins_and_leaves(self) -> None:
        self.change("set", *self.join(), *self.addresses)
        self.assertEqual(self.wpa_status()["wpa_state"], "COMPLETED")
        self.assert_connected()
        self.assertEqual(self.target.check("stat -c %a /etc/wpa_supplicant/wpa_supplicant-wlan0.conf"), "600\n")
        self.target.check("systemctl is-enabled wpa_supplicant@wlan0")
        self.change("unset", INTERFACE)
        self.target.eventually("no network is joined", lambda: self.clients() == [])
        self.target.check("! test -e /etc/wpa_supplicant/wpa_supplicant-wlan0.conf")
        self.target.check("! systemctl is-active wpa_supplicant@wlan0")

    def test_networks_by_priority_with_wpa3(self) -> None:
        self.access_point("K\u00e4fer \"1\"", security="wpa3", hidden=True)
        done = self.change("set", *self.join(HOME, "home", f"{HOME}/priority=9"), FIXED)
        self.assertIn("no network of wlan0 is in range", done.out + done.err)
        self.change("set", *self.join(
            WORKSHOP, "K\u00e4fer \"1\"", f"{WORKSHOP}/security=wpa3", f"{WORKSHOP}/hidden=true"))
        self.assert_connected()

    def test_a_restarted_wpa_supplicant_joins_again(self) -> None:
        self.change("set", *self.join(), FIXED)
        self.assertIn("wpa_supplicant", self.target.check("cat /etc/wpa_supplicant/wpa_supplicant-wlan0.conf"))
        self.target.check("systemctl restart wpa_supplicant@wlan0", timeout=20)
        self.target.eventually("it is connected", lambda: len(self.clients()) == 1, 30)

    def test_the_country_of_the_radios(self) -> None:
        country = "network/wifi/country"
        before = self.country()
        self.change("set", f"{country}=DE")
        self.assertEqual(self.country(), "DE")
        self.assertIn("DE", self.agent.cleat("get", "--live", country).out)
        self.change("set", "--confirm", "5m", "--id", "c", f"{country}=FR")
        self.assertEqual(self.country(), "FR")
        self.change("abort", "c")
        self.assertEqual(self.country(), "DE")
        done = self.change("set", f"{country}=QQ", status=10)
        self.assertIn("wireless-regdb", done.err)
        self.assertEqual(self.country(), "DE")
        self.target.check("iw reg set US")
        self.target.eventually("the kernel has the country of others", lambda: self.country() == "US", 10)
        self.assertIn("the country of the radios", self.agent.cleat("drift").out)
        self.change("reapply", "--all")
        self.assertEqual(self.country(), "DE")
        self.change("unset", country)
        self.assertEqual(self.country(), before)

    def country(self) -> str:
        """The country of all radios in the kernel."""
        return self.target.check("iw reg get | sed -n 's/^country \\(..\\):.*/\\1/p' | head -n 1").strip()


# The class without a service has no tests of its own.
del SettingTests

if __name__ == "__main__":
    unittest.main()
