"""Events of devices that are really plugged in and pulled out."""

from __future__ import annotations

import unittest

from agent import EventStream, RunningAgent
from on_target import RUN, OnTarget

#: For each kind of device: the events of its arrival that have to come, as subsystem and the beginning of the last
#: part of the subject. The device goes with `remove` of each of the same subjects.
ARRIVALS = {
    "usb-storage": [("usb", ""), ("scsi", ""), ("block", "sd")],
    "usb-serial": [("usb", ""), ("tty", "ttyUSB")],
    "usb-net": [("usb", ""), ("net", "")],
    "usb-kbd": [("usb", ""), ("input", "event")],
    "virtio-net": [("pci", ""), ("virtio", ""), ("net", "")],
    "veth": [("net", "plug")],
}


class DeviceTests(OnTarget):
    """Plug and unplug, each with the right source, action, subject and properties."""

    def test_the_source_suits_the_target(self) -> None:
        agent = self.start()
        wanted = "netlink udevd group" if self.target.can("udev") else "netlink kernel group"
        self.assertEqual(agent.observer("devices"), wanted)

    def test_devices_are_listed(self) -> None:
        agent = self.start()
        devices = {device["devpath"]: device for device in agent.ask("devices")["devices"]}
        self.assertIn("/devices/virtual/mem/null", devices)
        self.assertEqual(devices["/devices/virtual/mem/null"]["node"], "/dev/null")
        # Every device of the list is in sysfs.
        missing = self.target.check(
            "while read -r path; do [ -d \"/sys$path\" ] || echo \"$path\"; done",
            input="".join(path + "\n" for path in devices).encode(), timeout=20)
        self.assertEqual(missing, "")

    def _plugged(self, agent: RunningAgent, events: EventStream, kind: str, name: str) -> list[str]:
        """Plugs a device in; returns the subjects that have arrived."""
        self.plug(kind, name)
        subjects = []
        for subsystem, start in ARRIVALS[kind]:
            def matches(event: dict[str, object], subsystem: str = subsystem, start: str = start) -> bool:
                return (
                    event["source"] == "device" and event["action"] == "add"
                    and event["properties"].get("SUBSYSTEM") == subsystem  # type: ignore[attr-defined]
                    and str(event["subject"]).rsplit("/", 1)[-1].startswith(start))

            event = events.expect(f"a {kind} has arrived as {subsystem} {start}", matches)
            self.assertEqual(event["properties"]["DEVPATH"], event["subject"])
            self.assertFalse(event.get("restored"))
            subjects.append(event["subject"])
        return subjects

    def _plug_and_unplug(self, kind: str) -> None:
        self.require(kind)
        agent = self.start()
        self.target.settle()
        with agent.follow("--source", "device") as events:
            subjects = self._plugged(agent, events, kind, "plug1")
            # udev may have renamed a network device meanwhile; what is listed is what there is now.
            self.target.settle()
            listed = {device["devpath"] for device in agent.ask("devices")["devices"]}
            moved = {event["subject"] for event in events.seen if event["action"] == "move"}
            for subject in subjects:
                if not subject.count("/net/"):
                    self.assertIn(subject, listed)
            self.unplug("plug1")
            for subject in subjects:
                if subject.count("/net/"):
                    parent = subject.rsplit("/", 1)[0]
                    gone = events.expect(
                        f"{subject} has gone", lambda event, parent=parent: event["action"] == "remove"  # type: ignore[misc]
                        and event["subject"].rsplit("/", 1)[0] == parent)
                    self.assertIn(gone["subject"], {subject, *moved} | self._names(events, parent))
                else:
                    events.wait("device", "remove", subject)
            order = [event["sequence"] for event in events.seen]
            self.assertEqual(order, sorted(set(order)))
            self.target.eventually("the list has none of them", lambda: not (
                {device["devpath"] for device in agent.ask("devices")["devices"]} & set(subjects)))
        counters = agent.status()["counters"]
        for name in ("devices.lost", "devices.malformed", "devices.forged", "devices.overruns"):
            self.assertEqual(counters.get(name, 0), 0, name)

    def _names(self, events: EventStream, parent: str) -> set[str]:
        """Every subject below a device that events have named."""
        return {event["subject"] for event in events.seen if event["subject"].startswith(parent + "/")}

    def test_usb_storage(self) -> None:
        self._plug_and_unplug("usb-storage")

    def test_usb_serial(self) -> None:
        self._plug_and_unplug("usb-serial")

    def test_usb_net(self) -> None:
        self._plug_and_unplug("usb-net")

    def test_usb_keyboard(self) -> None:
        self._plug_and_unplug("usb-kbd")

    def test_virtio_net(self) -> None:
        self._plug_and_unplug("virtio-net")

    def test_veth(self) -> None:
        self._plug_and_unplug("veth")

    def _cycles(self, kind: str, count: int) -> None:
        """Plugs and unplugs; sees by the kernel's own numbers that no event in between is missing."""
        self.require(kind)
        agent = self.start()
        self.target.settle()
        with agent.follow("--source", "device") as events:
            numbers: list[int] = []
            arrived = 0
            for cycle in range(count):
                events.forget()
                subjects = self._plugged(agent, events, kind, f"plug{cycle}")
                # All of its arrival is over before it goes: otherwise the kernel itself leaves events out.
                self.target.settle()
                self.unplug(f"plug{cycle}")
                last = subjects[0].rsplit("/", 1)[0] if kind == "veth" else subjects[0]
                events.expect(f"{last} has gone", lambda event, last=last: event["action"] == "remove"  # type: ignore[misc]
                              and (event["subject"] == last or event["subject"].rsplit("/", 1)[0] == last))
                arrived += len(subjects)
                numbers += [int(event["properties"]["SEQNUM"]) for event in events.seen]
            self.target.settle()
            # What came after the last event that was waited for.
            final = int(self.target.check("cat /sys/kernel/uevent_seqnum"))
            while numbers[-1] < final and max(numbers) < final:
                try:
                    numbers.append(int(events.next("the rest has come", 2)["properties"]["SEQNUM"]))
                except AssertionError:
                    break
        self.assertEqual(arrived, count * len(ARRIVALS[kind]))
        counters = agent.status()["counters"]
        for name in ("devices.lost", "devices.malformed", "devices.forged", "devices.overruns"):
            self.assertEqual(counters.get(name, 0), 0, name)
        if kind != "veth":
            # A veth's events go to its namespace alone: others have their own, with numbers of the same row.
            missing = sorted(set(range(min(numbers), max(numbers) + 1)) - set(numbers))
            self.assertEqual(missing, [], f"of the kernel's events {min(numbers)} to {max(numbers)} these did not come")
            self.assertEqual(len(numbers), len(set(numbers)), "an event was reported twice")

    def test_cycles_lose_nothing(self) -> None:
        self._cycles("usb-storage", 3 if RUN.is_quick else 10)

    def test_cycles_of_links_lose_nothing(self) -> None:
        self._cycles("virtio-net" if self.target.can("virtio-net") else "veth", 3 if RUN.is_quick else 10)

    def test_changes_while_the_agent_was_down_are_reported(self) -> None:
        kind = next((kind for kind in ("usb-serial", "veth") if self.target.can(kind)), None)
        if kind is None:
            self.require("plug")
        assert kind
        agent = self.start()
        self.target.settle()
        agent.ask("devices")
        agent.ask("links")
        agent.stop()
        self.plug(kind, "plug1")
        wanted = "/ttyUSB0" if kind == "usb-serial" else "/plug1"
        self.target.eventually(
            "the device is there", lambda: self.target.run(f"ls -d /sys/class/*{wanted}").status == 0)
        self.target.settle()
        again = self.start()
        instance = again.status()["instance"]
        with again.follow("--instance", instance, "--after", "0") as events:
            event = events.wait("device", "add", wanted)
            self.assertTrue(event.get("restored"), str(event))
            self.unplug("plug1")
            events.forget()
            event = events.wait("device", "remove", wanted)
            self.assertFalse(event.get("restored"), str(event))


if __name__ == "__main__":
    unittest.main()
