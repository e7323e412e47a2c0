"""Tests of the settings after a crash, a reboot, a power cut, and on a target without space."""

from __future__ import annotations

import unittest

from on_target import OnTarget


class SurvivalTests(OnTarget):
    """The settings are the old ones or the new ones, whole; what was acknowledged is there."""

    def test_killed_and_started_again(self) -> None:
        agent = self.start()
        agent.set("system/hostname=pump-7", "network/interfaces/eth0/mtu=1400")
        before = agent.status()
        agent.kill()
        again = self.start()
        after = again.status()
        self.assertEqual(after["store"], before["store"])
        self.assertEqual(after["generation"], 1)
        self.assertNotEqual(after["instance"], before["instance"])
        self.assertEqual(again.get("system/hostname"), "pump-7")
        self.assertEqual(again.get("network/interfaces/eth0/mtu"), "1400")
        # Events go on.
        with again.follow("--source", "setting") as events:
            self.assertEqual(again.set("system/hostname=pump-8"), 2)
            events.wait("setting", "set", "system/hostname")
        if self.target.can("link"):
            kind = "virtio-net" if self.target.can("virtio-net") else "veth"
            with again.follow("--source", "link") as events:
                self.plug(kind, "nic1")
                events.wait("link", "added")
                self.unplug("nic1")
                events.wait("link", "removed")

    def test_killed_in_the_middle_of_commits(self) -> None:
        agent = self.start()
        # The number is written after the command has reported success.
        loop = self.target.spawn(
            f"n=0; while n=$((n + 1)); {agent.programs}/cleat set system/hostname=h$n "
            "time/ntp/servers=\"[\\\"s$n.example\\\"]\" >/dev/null 2>&1; do echo $n; done",
            environment=agent.environment)
        with loop:
            for _ in range(10):
                last = loop.read_line()
            agent.kill()
            for line in loop.lines():
                last = line
        again = self.start()
        name = again.get("system/hostname")
        self.assertIn(name, (f"h{last}", f"h{int(last or 0) + 1}"))
        self.assertEqual(again.get("time/ntp/servers"), f'["{name.replace("h", "s")}.example"]')
        self.assertEqual(again.status()["generation"], int(name[1:]))

    def test_a_second_agent_is_refused(self) -> None:
        agent = self.start()
        agent.set("system/hostname=pump-7")
        done = self.target.run(agent.words, timeout=10)
        self.assertNotEqual(done.status, 0, str(done))
        self.assertNotEqual(done.err, "")
        self.assertEqual(agent.get("system/hostname"), "pump-7")


class SpaceTests(OnTarget):
    """A target without space."""

    needs = ("root", "mount")

    def setUp(self) -> None:
        super().setUp()
        self.small = f"{self.directory}/small"

    def _mount(self, size: str) -> None:
        self.target.check(f"mkdir -p {self.small} && mount -t tmpfs -o size={size},mode=755 none {self.small}")
        self.addCleanup(lambda: self.target.is_alive() and self.target.run(f"umount {self.small}"))

    def test_too_small_for_a_store(self) -> None:
        self._mount("8k")
        self.target.run(f"dd if=/dev/zero of={self.small}/filler bs=1024")
        agent = self.start_fails(f"{self.small}/state")
        self.assertRegex(agent, r"(?i)space|full")
        left = self.target.check(f"find {self.small} -type f ! -name filler -size +0")
        self.assertEqual(left, "", "half a store was left")

    def start_fails(self, state: str) -> str:
        """Starts an agent that cannot serve; returns its messages."""
        from agent import RunningAgent

        agent = RunningAgent(self.target, self.programs(), self.directory, state=state)
        self.agents.append(agent)
        agent.launch()
        self.assertNotEqual(agent.ended(), 0, agent.log)
        return agent.log

    def test_full_disk_refuses_and_keeps(self) -> None:
        self._mount("6m")
        agent = self.start(state=f"{self.small}/state")
        agent.set("system/hostname=pump-7")
        self.target.run(f"dd if=/dev/zero of={self.small}/filler bs=4096", timeout=60)
        # The log is grown already and is used again, so some fit; then one does not, with an error.
        script = f"""
n=0
long=$(printf '%0240d' 0 | sed 's/.\\{{60\\}}/&./g')example
while [ $n -lt 400 ]; do
    list=
    for item in 1 2 3 4 5 6 7 8; do list="$list,\\"s$n-$item.${{long#????????????}}\\""; done
    {agent.programs}/cleat set "time/ntp/servers=[${{list#,}}]" >/dev/null || break
    n=$((n + 1))
done
echo $n
"""
        done = self.target.run(script, environment=agent.environment, timeout=60)
        generation = 1 + int(done.out)
        if generation < 401:
            self.assertRegex(done.err, r"(?i)space|full")
        self.assertEqual(agent.status()["generation"], generation)
        self.assertEqual(agent.get("system/hostname"), "pump-7")
        agent.kill()
        # It opens on the full disk, too.
        again = self.start(state=f"{self.small}/state")
        self.assertEqual(again.status()["generation"], generation)
        self.assertEqual(again.get("system/hostname"), "pump-7")
        self.target.check(f"rm {self.small}/filler")
        self.assertEqual(again.set("system/hostname=pump-8"), generation + 1)

    def test_read_only_file_system(self) -> None:
        self._mount("6m")
        agent = self.start(state=f"{self.small}/state")
        agent.set("system/hostname=pump-7")
        agent.stop()
        self.target.check(f"mount -o remount,ro {self.small}")
        # It serves the stored settings, reports the cause, and refuses changes.
        ailing = self.start(state=f"{self.small}/state")
        self.assertEqual(ailing.get("system/hostname"), "pump-7")
        self.assertRegex(str(ailing.status()["store_notes"]), r"(?i)read-only")
        with self.assertRaisesRegex(AssertionError, "Nothing was changed"):
            ailing.set("system/hostname=pump-8")
        ailing.stop()
        self.target.check(f"mount -o remount,rw {self.small}")
        self.assertEqual(self.start(state=f"{self.small}/state").get("system/hostname"), "pump-7")
