"""Network links that are added, lose and regain their carrier, are renamed, and removed."""

from __future__ import annotations

import unittest
from typing import Any

from agent import EventStream, RunningAgent
from on_target import OnTarget


class LinkTests(OnTarget):
    """Events of links, and the list of them."""

    needs = ("link", "root")

    def setUp(self) -> None:
        super().setUp()
        self.kind = "virtio-net" if self.target.can("virtio-net") else "veth"

    def _plugged(self, agent: RunningAgent, events: EventStream, name: str = "nic1") -> dict[str, Any]:
        """Plugs a network device in; returns its link once it has the name that it keeps."""
        before = set(agent.links())
        self.plug(self.kind, name)
        # A pair is two links; the expected one is the last, or has the given name.
        added = events.expect("a link was added", lambda event: event["action"] == "added" and (
            self.kind != "veth" or event["subject"] == name))
        index = int(added["properties"]["IFINDEX"])
        self.assertNotIn(index, before)
        self.target.settle()
        if self.target.can("rename"):
            self._renamed(events, added)
        return agent.links()[index]

    def _renamed(self, events: EventStream, added: dict[str, Any]) -> dict[str, Any]:
        """Waits for the other name that udev gives a link."""
        event = events.expect("the link was renamed", lambda event: event["action"] == "renamed"
                              and event["properties"]["IFINDEX"] == added["properties"]["IFINDEX"])
        self.assertEqual(event["properties"]["OLD_NAME"], added["subject"])
        return event

    def test_added_and_removed(self) -> None:
        agent = self.start()
        with agent.follow("--source", "link") as events:
            link = self._plugged(agent, events)
            self.assertEqual(link["type"], "ether")
            self.assertRegex(link["address"], r"^([0-9a-f]{2}:){5}[0-9a-f]{2}$")
            self.unplug("nic1")
            events.wait("link", "removed", link["name"], IFINDEX=str(link["index"]))
            self.assertNotIn(link["index"], agent.links())

    def test_the_carrier_is_lost_and_regained(self) -> None:
        agent = self.start()
        with agent.follow("--source", "link") as events:
            link = self._plugged(agent, events)
            name = link["name"]
            # A carrier is reported for links that are switched on.
            self.target.check(f"ip link set {name} up")
            events.wait("link", "up", name)
            self.assertTrue(agent.links()[link["index"]]["carrier"])
            for _ in range(3):
                events.forget()
                self.target.link("nic1", False)
                lost = events.wait("link", "carrier-lost", name)
                self.assertEqual(lost["properties"]["CARRIER"], "0")
                events.wait("link", "down", name)
                now = agent.links()[link["index"]]
                self.assertEqual((now["carrier"], now["state"] == "up"), (False, False))
                events.forget()
                self.target.link("nic1", True)
                events.wait("link", "carrier-gained", name)
                events.wait("link", "up", name, OPERSTATE="up")
                now = agent.links()[link["index"]]
                self.assertEqual((now["carrier"], now["state"] == "up"), (True, True))

    def test_addresses(self) -> None:
        agent = self.start()
        with agent.follow("--source", "link") as events:
            name = self._plugged(agent, events)["name"]
            self.target.check(f"ip addr add 192.0.2.7/24 dev {name}")
            events.wait("link", "address-added", name, IP_ADDRESS="192.0.2.7/24")
            self.assertIn("192.0.2.7/24", next(
                link for link in agent.links().values() if link["name"] == name)["addresses"])
            self.target.check(f"ip addr del 192.0.2.7/24 dev {name}")
            events.wait("link", "address-removed", name, IP_ADDRESS="192.0.2.7/24")

    def test_renamed_by_hand(self) -> None:
        agent = self.start()
        with agent.follow() as events:
            link = self._plugged(agent, events)
            self.target.check(f"ip link set {link['name']} down && ip link set {link['name']} name cleat9")
            event = events.wait("link", "renamed", "cleat9", OLD_NAME=link["name"])
            self.assertEqual(event["properties"]["IFINDEX"], str(link["index"]))
            events.wait("device", "move", "/net/cleat9", IFINDEX=str(link["index"]))
            now = agent.links()[link["index"]]
            self.assertEqual((now["name"], now["address"]), ("cleat9", link["address"]))
            # Not back to the old one: udev may have kept that as another name of the same link.
            self.target.check("ip link set cleat9 name cleat8")
            events.wait("link", "renamed", "cleat8", OLD_NAME="cleat9")

    def test_renamed_by_udev(self) -> None:
        self.require("rename")
        agent = self.start()
        with agent.follow() as events:
            before = set(agent.links())
            self.plug(self.kind, "nic1")
            added = events.expect("a link was added", lambda event: (
                event["source"] == "link" and event["action"] == "added"))
            self.assertRegex(added["subject"], r"^eth\d+$")
            renamed = self._renamed(events, added)
            self.assertNotRegex(renamed["subject"], r"^eth\d+$")
            # The identity is kept: one link with one index and one address, under its new name; nothing was removed.
            self.assertEqual(renamed["properties"]["ADDRESS"], added["properties"]["ADDRESS"])
            self.target.settle()
            device = events.expect("the device is known by its new name", lambda event: (
                event["source"] == "device" and event["subject"].endswith(f"/net/{renamed['subject']}")))
            self.assertEqual(device["properties"]["INTERFACE"], renamed["subject"])
            self.assertNotIn("removed", [event["action"] for event in events.seen if event["source"] == "link"])
            new = {index: link for index, link in agent.links().items() if index not in before}
            self.assertEqual([link["name"] for link in new.values()], [renamed["subject"]])
            names = [device["name"] for device in agent.ask("devices")["devices"] if device["subsystem"] == "net"]
            self.assertIn(renamed["subject"], names)
            self.assertNotIn(added["subject"], names)


if __name__ == "__main__":
    unittest.main()
