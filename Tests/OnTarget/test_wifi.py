"""Wi-Fi clients that are configured by hand: they show that the simulated radios work, and what each client reports.

`cross/test vboard --image wifi --suite system --filter wifi`
"""

from __future__ import annotations

import unittest

from wifi import WiFi

UUID = "5f3a9c1e-0d52-4c7b-9a44-6f1d2e3b4c5d"


def supplicant_file(*networks: str) -> str:
    """A configuration file of wpa_supplicant; each network is the lines of its block."""
    blocks = ["network={\n" + "".join(f"\t{line}\n" for line in network.splitlines()) + "}\n" for network in networks]
    return "ctrl_interface=DIR=/run/wpa_supplicant GROUP=netdev\nupdate_config=0\ncountry=DE\n\n" + "\n".join(blocks)


def profile(
    *, name: str = "workshop", uuid: str = UUID, ssid: str = "workshop", key_mgmt: str = "wpa-psk",
    psk: str = "correct horse", priority: int = 0, more: str = "",
) -> str:
    """A NetworkManager profile; `more` is lines of its section [wifi]."""
    return f"""[connection]
id={name}
uuid={uuid}
type=wifi
interface-name=wlan0
autoconnect-priority={priority}

[wifi]
ssid={ssid}
{more}
[wifi-security]
key-mgmt={key_mgmt}
psk={psk}

[ipv4]
method=auto
"""


class SupplicantTests(WiFi):
    """wpa_supplicant alone, with the file of `wpa_supplicant@wlan0.service`."""

    def test_it_connects(self) -> None:
        self.access_point()
        self.start_wpa_supplicant(supplicant_file('ssid="workshop"\npsk="correct horse"'))
        status = self.wait_for_wpa_state("COMPLETED")
        self.assertEqual((status["ssid"], status["key_mgmt"]), ("workshop", "WPA2-PSK"))
        self.assertEqual(self.wpa_networks(), {"workshop": "[CURRENT]"})
        self.assertEqual(self.wpa("get", "country"), "DE")
        self.assert_connected()

    def test_it_connects_with_wpa3(self) -> None:
        self.access_point(security="wpa3")
        self.start_wpa_supplicant(supplicant_file('ssid="workshop"\npsk="correct horse"\nkey_mgmt=SAE\nieee80211w=2'))
        self.assertEqual(self.wait_for_wpa_state("COMPLETED")["key_mgmt"], "SAE")
        self.assert_connected()

    def test_a_wrong_passphrase_and_the_corrected_one(self) -> None:
        self.access_point()
        self.start_wpa_supplicant(supplicant_file('ssid="workshop"\npsk="wrong horse"'))
        self.target.eventually(
            "the network is disabled for a while", lambda: self.wpa_networks() == {"workshop": "[TEMP-DISABLED]"})
        self.assertIn("reason=WRONG_KEY", self.target.check("journalctl --quiet --unit wpa_supplicant@wlan0"))
        self.target.put(
            supplicant_file('ssid="workshop"\npsk="correct horse"').encode(),
            "/etc/wpa_supplicant/wpa_supplicant-wlan0.conf", mode=0o600)
        self.assertEqual(self.wpa("reconfigure"), "OK\n")
        self.wait_for_wpa_state("COMPLETED")
        self.assert_connected()

    def test_a_network_out_of_range(self) -> None:
        self.access_point()
        self.start_wpa_supplicant(supplicant_file(
            'ssid="nowhere"\npsk="correct horse"\npriority=9', 'ssid="workshop"\npsk="correct horse"\npriority=2'))
        self.wait_for_wpa_state("COMPLETED")
        self.assertEqual(self.wpa_networks(), {"nowhere": "", "workshop": "[CURRENT]"})

    def test_a_file_with_an_error_is_refused(self) -> None:
        self.access_point()
        self.start_wpa_supplicant(supplicant_file('ssid="workshop"\npsk="correct horse"'))
        self.wait_for_wpa_state("COMPLETED")
        self.target.put(
            supplicant_file('ssid="workshop"\npsk="short"').encode(), "/etc/wpa_supplicant/wpa_supplicant-wlan0.conf",
            mode=0o600)
        self.assertEqual(self.wpa("reconfigure"), "FAIL\n")
        self.assert_connected()

    def test_the_access_point_is_lost_and_regained(self) -> None:
        self.access_point()
        self.start_wpa_supplicant(supplicant_file('ssid="workshop"\npsk="correct horse"'))
        self.wait_for_wpa_state("COMPLETED")
        self.stop_access_point(abruptly=True)
        self.wait_for_wpa_state("SCANNING")
        self.access_point()
        self.wait_for_wpa_state("COMPLETED")
        self.assert_connected()


class NetworkManagerTests(WiFi):
    """NetworkManager with profiles in files."""

    def test_it_connects(self) -> None:
        self.access_point()
        self.start_network_manager()
        self.write_profile("workshop", profile())
        done = self.activate(UUID)
        self.assertEqual(done.status, 0, str(done))
        device = self.device()
        self.assertEqual((device["GENERAL.STATE"], device["GENERAL.CONNECTION"]), ("100 (connected)", "workshop"))
        self.assertRegex(device["IP4.ADDRESS[1]"], r"^192\.0\.2\.1\d\d/24$")
        self.assert_connected()

    def test_it_connects_with_wpa3(self) -> None:
        self.access_point(security="wpa3")
        self.start_network_manager()
        self.write_profile("workshop", profile(key_mgmt="sae"))
        done = self.activate(UUID)
        self.assertEqual(done.status, 0, str(done))
        self.assert_connected()

    def test_an_ssid_with_other_characters(self) -> None:
        ssid = "a;b=é#1 "
        self.access_point(ssid)
        self.start_network_manager()
        # The bytes as numbers need no escapes.
        self.write_profile("workshop", profile(ssid="".join(f"{byte};" for byte in ssid.encode())))
        done = self.activate(UUID)
        self.assertEqual(done.status, 0, str(done))
        self.assert_connected()

    def test_a_wrong_passphrase(self) -> None:
        self.access_point()
        self.start_network_manager()
        self.write_profile("workshop", profile(psk="wrong horse"))
        done = self.activate(UUID)
        self.assertEqual(done.status, 4, str(done))
        self.assertIn("Connection activation failed: Secrets were required, but not provided", done.err)

    def test_a_network_out_of_range(self) -> None:
        self.access_point()
        self.start_network_manager()
        self.write_profile("nowhere", profile(name="nowhere", ssid="nowhere"))
        done = self.activate(UUID)
        self.assertEqual(done.status, 4, str(done))
        self.assertIn("Connection activation failed: The Wi-Fi network could not be found", done.err)

    def test_the_access_point_is_lost_and_regained(self) -> None:
        self.access_point()
        self.start_network_manager()
        self.write_profile("workshop", profile())
        self.assertEqual(self.activate(UUID).status, 0)
        self.stop_access_point()
        self.target.eventually(
            "the interface is disconnected", lambda: self.device()["GENERAL.STATE"] != "100 (connected)")
        self.access_point()
        self.target.eventually("it is connected again", lambda: self.device()["GENERAL.STATE"] == "100 (connected)")
        self.assert_connected()


if __name__ == "__main__":
    unittest.main()
