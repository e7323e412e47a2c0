"""Hooks that run as real scripts on real events."""

from __future__ import annotations

import json
import unittest

from on_target import OnTarget

#: Writes the environment and the input of a hook, and renames the file when it is complete.
NOTE = r"""
place=$D/note-$CLEAT_HOOK-$CLEAT_ACTION
env >$place.env.new && cat >$place.in && mv $place.env.new $place.env
"""


class HookTests(OnTarget):
    """A hook on each: a device, a link, a setting."""

    def _note(self, hook: str, action: str) -> tuple[dict[str, str], dict[str, object]]:
        """Returns the environment of a hook, and the event on its standard input."""
        place = f"{self.directory}/note-{hook}-{action}"
        self.target.eventually(f"hook {hook} has run on {action}", lambda: self.target.exists(f"{place}.env"), 20)
        lines = self.target.get(f"{place}.env").decode().splitlines()
        variables = dict(line.split("=", 1) for line in lines if "=" in line)
        return variables, json.loads(self.target.get(f"{place}.in"))

    def _check(self, variables: dict[str, str], event: dict[str, object], source: str, action: str) -> None:
        self.assertEqual(variables["CLEAT_SOURCE"], source)
        self.assertEqual(variables["CLEAT_ACTION"], action)
        self.assertEqual((event["source"], event["action"]), (source, action))
        self.assertEqual(event["subject"], variables["CLEAT_SUBJECT"])
        self.assertEqual(variables["CLEAT_SOCKET"], f"{self.directory}/run/socket")
        self.assertEqual(variables["PATH"], "/usr/sbin:/usr/bin:/sbin:/bin")
        for name in ("LD_PRELOAD", "NOTIFY_SOCKET"):
            self.assertNotIn(name, variables)

    def test_on_a_setting(self) -> None:
        self.write_hook("name", '{ source: "setting", action: "set", subject: "system/*" }', NOTE)
        agent = self.start()
        agent.set("time/ntp/enabled=false", "system/hostname=pump-7")
        variables, event = self._note("name", "set")
        self._check(variables, event, "setting", "set")
        self.assertEqual(variables["CLEAT_SUBJECT"], "system/hostname")
        self.assertEqual(variables["VALUE"], "pump-7")
        self.assertEqual(variables["GENERATION"], "1")
        agent.wait_for_hook("name")
        self.assertEqual(agent.hook("name")["runs"], 1)

    def _on_a_device(self, kind: str, subsystem: str, subject: str) -> dict[str, str]:
        """Plugs a device in and out, with a hook on both; returns the hook's environment at its arrival."""
        self.require(kind)
        match = f'{{ source: "device", action: "add|remove", subject: "{subject}", ' \
                f'properties: {{ SUBSYSTEM: "{subsystem}" }} }}'
        self.write_hook("plugged", match, NOTE)
        agent = self.start()
        self.plug(kind, "plug1")
        arrived, event = self._note("plugged", "add")
        self._check(arrived, event, "device", "add")
        self.assertEqual(arrived["SUBSYSTEM"], subsystem)
        self.assertEqual(arrived["DEVPATH"], arrived["CLEAT_SUBJECT"])
        # udev may be about to give it another name.
        self.target.settle()
        self.unplug("plug1")
        gone, event = self._note("plugged", "remove")
        self._check(gone, event, "device", "remove")
        self.assertEqual(gone["DEVPATH"].rsplit("/", 1)[0], arrived["DEVPATH"].rsplit("/", 1)[0])
        agent.wait_for_hook("plugged", 2)
        return arrived

    def test_on_a_stick(self) -> None:
        arrived = self._on_a_device("usb-storage", "block", "*/sd*")
        self.assertEqual(arrived["DEVTYPE"], "disk")
        self.assertRegex(arrived["DEVNAME"], r"sd[a-z]+$")

    def test_on_a_serial_adapter(self) -> None:
        arrived = self._on_a_device("usb-serial", "tty", "*/ttyUSB*")
        self.assertRegex(arrived["DEVNAME"], r"ttyUSB\d+$")

    def test_on_a_usb_network_adapter(self) -> None:
        self.assertRegex(self._on_a_device("usb-net", "net", "*/usb*/net/*")["INTERFACE"], r"^\w+$")

    def test_on_a_network_card(self) -> None:
        self.assertRegex(self._on_a_device("virtio-net", "net", "*/virtio*/net/*")["INTERFACE"], r"^\w+$")

    def test_on_a_veth(self) -> None:
        self.assertEqual(self._on_a_device("veth", "net", "*/plug1")["INTERFACE"], "plug1")

    def test_the_device_node_is_there_when_the_hook_runs(self) -> None:
        self.require("usb-serial")
        script = '[ -c "/dev/${DEVNAME#/dev/}" ] && echo "a node" || echo "no node: $DEVNAME"; exit 0'
        self.write_hook("serial", '{ source: "device", action: "add", properties: { SUBSYSTEM: "tty" } }', script)
        agent = self.start()
        self.plug("usb-serial", "plug1")
        hook = agent.wait_for_hook("serial")
        self.assertEqual(hook["last"]["output"], "a node\n")

    def test_on_a_link(self) -> None:
        self.require("link", "root")
        kind = "virtio-net" if self.target.can("virtio-net") else "veth"
        # Not the loopback, and of a pair the near end.
        subject = "[!l]*" if kind == "virtio-net" else "nic1"
        self.write_hook("cable", f'{{ source: "link", action: "up|down", subject: "{subject}" }}', NOTE)
        self.write_hook("name", '{ source: "link", action: "renamed" }', NOTE)
        agent = self.start()
        with agent.follow("--source", "link") as events:
            self.plug(kind, "nic1")
            added = events.expect("a link was added", lambda event: event["action"] == "added" and (
                kind != "veth" or event["subject"] == "nic1"))
            index = added["properties"]["IFINDEX"]
            if self.target.can("rename"):
                # The agent receives the name that udev gives it later: the end of udevd's work is not enough.
                events.wait("link", "renamed", IFINDEX=index)
                variables, event = self._note("name", "renamed")
                self._check(variables, event, "link", "renamed")
                self.assertEqual(variables["OLD_NAME"], added["subject"])
            self.target.settle()
            name = agent.links()[int(index)]["name"]
            self.target.check(f"ip link set {name} up")
            variables, event = self._note("cable", "up")
            self._check(variables, event, "link", "up")
            self.assertEqual(variables["OPERSTATE"], "up")
            self.target.check(f"rm -f {self.directory}/note-cable-*")
            self.target.link("nic1", False)
            events.wait("link", "down", name)
            variables, event = self._note("cable", "down")
            self._check(variables, event, "link", "down")
            self.assertEqual((variables["CLEAT_SUBJECT"], variables["CARRIER"]), (name, "0"))
            self.target.check(f"rm -f {self.directory}/note-cable-*")
            self.target.link("nic1", True)
            variables, event = self._note("cable", "up")
            self._check(variables, event, "link", "up")
            self.assertEqual((variables["CLEAT_SUBJECT"], variables["CARRIER"]), (name, "1"))
            self.unplug("nic1")
            events.wait("link", "removed", name)

    def test_a_hook_changes_a_setting(self) -> None:
        script = f'"{self.target.directory}/bin/cleat" set time/ntp/enabled=false'
        self.write_hook("follow", '{ source: "setting", action: "set", subject: "system/hostname" }', script)
        agent = self.start()
        agent.set("system/hostname=pump-7")
        agent.wait_for_hook("follow")
        self.assertEqual(agent.get("time/ntp/enabled"), "false")
        self.assertEqual(agent.hook("follow")["runs"], 1)

    def test_one_that_hangs_is_killed_with_its_children(self) -> None:
        script = "sleep 600 & echo $! >$D/child; trap '' TERM; while :; do wait; done"
        self.write_hook("stuck", '{ source: "setting" }', script, rest='timeout: "3s"')
        agent = self.start()
        agent.set("system/hostname=pump-7")

        def ended() -> bool:
            return bool(agent.hook("stuck").get("last", {}).get("status") == "timed_out")

        self.target.eventually("the hook was killed", ended, 20)
        child = self.target.get(f"{self.directory}/child").decode().strip()
        self.target.eventually("its child is gone", lambda: not self.target.exists(f"/proc/{child}/cmdline")
                               or self.target.get(f"/proc/{child}/cmdline") == b"")
        self.assertEqual(agent.get("system/hostname"), "pump-7")

    def test_one_that_names_where_it_writes_gets_no_other_place(self) -> None:
        self.target.check(f"mkdir -p {self.directory}/in/sub {self.directory}/out; echo kept >{self.directory}/out/file")
        script = """cd $D
for place in in in/sub out; do (echo x >$place/new) 2>/dev/null && echo "wrote $place"; done
mv in/new in/sub/moved 2>/dev/null && echo moved inside
mv out/file in/stolen 2>/dev/null && echo stole
rm -f out/file 2>/dev/null && echo removed
sh -c 'echo x >out/grandchild' 2>/dev/null && echo grandchild
cat out/file
"""
        self.write_hook("strict", '{ source: "setting" }', script, rest=f'writePaths: ["{self.directory}/in"]')
        agent = self.start()
        version = agent.ask("status")["landlock_abi"]
        if version == 0:
            problems = agent.ask("hook", "list")["problems"]
            self.assertIn("Landlock", problems[0]["message"])
            self.assertIn("best-effort", problems[0]["message"])
            raise unittest.SkipTest(f"the kernel of {self.target.name} has no Landlock; the hook was refused")
        if self.target.check("uname -r").startswith("6.1."):
            self.assertEqual(version, 2)
        agent.set("system/hostname=pump-7")
        hook = agent.wait_for_hook("strict")
        self.assertEqual(hook["last"]["output"], "wrote in\nwrote in/sub\nmoved inside\nkept\n")
        self.assertEqual(hook["sandbox"], {"write_paths": [f"{self.directory}/in"], "required": True, "enforced": True})
        self.assertEqual(self.target.check(f"ls {self.directory}/out").split(), ["file"])

    def test_a_broken_file_is_named_and_the_others_run(self) -> None:
        self.write_hook("good", '{ source: "setting" }', "exit 0")
        self.target.put(b"{\n  match: { colour: 1 },\n}\n", f"{self.directory}/etc/hooks.d/bad.json5")
        agent = self.start()
        problems = agent.ask("hook", "list")["problems"]
        self.assertEqual([(problem["file"].rsplit("/", 1)[-1], problem["line"]) for problem in problems], [("bad.json5", 2)])
        agent.set("system/hostname=pump-7")
        agent.wait_for_hook("good")


if __name__ == "__main__":
    unittest.main()
