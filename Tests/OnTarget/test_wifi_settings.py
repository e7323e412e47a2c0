"""Wi-Fi networks by settings, with the real NetworkManager and wpa_supplicant, over simulated radios.

`cross/test vboard --image wifi --suite system --filter wifi`
"""

from __future__ import annotations

import unittest

from target.process import Completed
from test_deploy import Deployed, install, remove
from test_wifi import UUID, profile
from wifi import CLIENT, WiFi

INTERFACE = f"network/interfaces/{CLIENT}"
WORKSHOP = f"{INTERFACE}/wifi/workshop"
HOME = f"{INTERFACE}/wifi/home"
PASSPHRASE = "correct horse"


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

    def assert_on_trial_and_back(self, network: str) -> None:
        """Loses the access point in a trial: the trial reverts, and the board is connected again."""
        self.change("set", "--confirm", "30s", f"{network}/ssid=nowhere", f"{network}/passphrase=battery staple")
        self.assertEqual(self.clients(), [])
        self.target.eventually(
            "the trial has reverted and the board is connected", lambda: self.agent.get(f"{network}/ssid") == "workshop"
            and len(self.clients()) == 1, 60)
        self.assert_connected()
        self.assertEqual(self.agent.ask("drift")["drift"], [])


class NetworkManagerSettingTests(CleatWiFi):
    """NetworkManager joins networks by profiles of Cleat."""

    def setUp(self) -> None:
        super().setUp()
        self.access_point()
        self.start_network_manager()
        self.serve()

    def test_it_joins_and_leaves(self) -> None:
        self.change("set", *self.join())
        self.assertEqual(self.device()["GENERAL.CONNECTION"], f"cleat-{CLIENT}-workshop")
        self.assert_connected()
        listed = self.agent.cleat("list", INTERFACE)
        self.assertNotIn("horse", listed.out)
        # Fixed addresses are those of the same profile.
        self.change("set", f"{INTERFACE}/addresses=[\"192.0.2.77/24\"]")
        self.target.check(f"ip address show dev {CLIENT} | grep -q 192.0.2.77/24")
        self.assert_connected()
        self.change("unset", INTERFACE)
        self.target.eventually("it has left", lambda: self.clients() == [])
        self.assertNotIn("cleat", self.target.check("ls /etc/NetworkManager/system-connections"))

    def test_a_refused_passphrase_changes_nothing(self) -> None:
        self.change("set", *self.join())
        done = self.change("set", f"{WORKSHOP}/passphrase=wrong horse", status=10)
        self.assertIn("Secrets were required", done.err)
        self.assert_connected()
        self.assertEqual(self.agent.ask("drift")["drift"], [])

    def test_a_trial_that_loses_the_access_point_reverts(self) -> None:
        self.change("set", *self.join())
        self.assert_on_trial_and_back(WORKSHOP)

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

    def test_a_profile_of_others_is_named_and_adopted(self) -> None:
        self.write_profile("office", profile(name="office"))
        self.assertEqual(self.activate(UUID).status, 0)
        done = self.change("set", *self.join(WORKSHOP, "elsewhere"), status=65)
        self.assertIn("office", done.err)
        self.change("adopt", f"interface:{CLIENT}")
        self.assertEqual(self.device()["GENERAL.CONNECTION"], f"cleat-{CLIENT}-workshop")
        self.assert_connected()

    def test_a_kill_in_a_trial(self) -> None:
        self.change("set", *self.join())
        self.change("set", "--confirm", "20s", f"{WORKSHOP}/ssid=nowhere", f"{WORKSHOP}/passphrase=battery staple")
        self.target.check(f"kill -9 {self.agent.pid}")
        self.target.eventually("it is started again", self.agent.is_ready, 30)
        self.target.eventually(
            "the former network is joined", lambda: self.agent.get(f"{WORKSHOP}/ssid") == "workshop"
            and len(self.clients()) == 1, 90)


class SupplicantSettingTests(CleatWiFi):
    """wpa_supplicant joins networks by a file of Cleat; the addresses are configured by the kernel's own adapter."""

    def setUp(self) -> None:
        super().setUp()
        self.access_point()
        self.target.check("systemctl stop NetworkManager", timeout=20)
        self.serve()

    def test_it_joins_and_leaves(self) -> None:
        self.change("set", *self.join(), f"{INTERFACE}/addresses=[\"192.0.2.77/24\"]")
        self.assertEqual(self.wpa_status()["wpa_state"], "COMPLETED")
        self.assert_connected()
        self.assertEqual(self.target.check("stat -c %a /etc/wpa_supplicant/wpa_supplicant-wlan0.conf"), "600\n")
        self.target.check("systemctl is-enabled wpa_supplicant@wlan0")
        self.change("unset", INTERFACE)
        self.target.eventually("it has left", lambda: self.clients() == [])
        self.target.check("! test -e /etc/wpa_supplicant/wpa_supplicant-wlan0.conf")
        self.target.check("! systemctl is-active wpa_supplicant@wlan0")

    def test_a_refused_passphrase_changes_nothing(self) -> None:
        self.change("set", *self.join(), f"{INTERFACE}/addresses=[\"192.0.2.77/24\"]")
        done = self.change("set", f"{WORKSHOP}/passphrase=wrong horse", status=10)
        self.assertIn("the access point refuses the passphrase", done.err)
        self.assert_connected()

    def test_a_trial_that_loses_the_access_point_reverts(self) -> None:
        self.change("set", *self.join(), f"{INTERFACE}/addresses=[\"192.0.2.77/24\"]")
        self.assert_on_trial_and_back(WORKSHOP)

    def test_networks_by_priority_with_wpa3(self) -> None:
        self.access_point("K\u00e4fer \"1\"", security="wpa3", hidden=True)
        done = self.change("set", *self.join(HOME, "home", f"{HOME}/priority=9"), f"{INTERFACE}/addresses=[\"192.0.2.77/24\"]")
        self.assertIn("no network of wlan0 is in range", done.out + done.err)
        self.change("set", *self.join(
            WORKSHOP, "K\u00e4fer \"1\"", f"{WORKSHOP}/security=wpa3", f"{WORKSHOP}/hidden=true"))
        self.assert_connected()

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

    def test_a_restarted_wpa_supplicant_joins_again(self) -> None:
        self.change("set", *self.join(), f"{INTERFACE}/addresses=[\"192.0.2.77/24\"]")
        self.assertIn("wpa_supplicant", self.target.check("cat /etc/wpa_supplicant/wpa_supplicant-wlan0.conf"))
        self.target.check("systemctl restart wpa_supplicant@wlan0", timeout=20)
        self.target.eventually("it is connected", lambda: len(self.clients()) == 1, 30)


if __name__ == "__main__":
    unittest.main()
