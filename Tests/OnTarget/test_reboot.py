"""What outlives an orderly reboot and a cut of the power."""

from __future__ import annotations

import unittest

from agent import RunningAgent
from on_target import OnTarget


class RebootTests(OnTarget):
    """A store on a disk, and a target that is switched off under it or restarted in order."""

    needs = ("disk", "root")

    def setUp(self) -> None:
        super().setUp()
        self.state = f"{self.target.disk}/{self._testMethodName}"
        self.target.check(f"rm -rf {self.state}")

    def _started(self) -> RunningAgent:
        return self.start(state=self.state)

    def test_settings_outlive_a_reboot(self) -> None:
        self.require("reboot")
        agent = self._started()
        agent.set("system/hostname=pump-7", "network/interfaces/eth0/mtu=1400")
        before = agent.status()
        boot = self.target.check("cat /proc/sys/kernel/random/boot_id")
        self.target.reboot()
        self.assertNotEqual(self.target.check("cat /proc/sys/kernel/random/boot_id"), boot)
        again = self._started()
        after = again.status()
        self.assertEqual((after["store"], after["generation"]), (before["store"], 1))
        self.assertEqual(after["store_notes"], [])
        self.assertEqual(again.get("system/hostname"), "pump-7")
        self.assertEqual(again.set("system/hostname=pump-8"), 2)
        # History tells one boot from the other.
        log = again.ask("log")["generations"]
        self.assertEqual(len({entry["boot_id"] for entry in log}), 2)
        # No event of the other boot is taken for something that has happened in this one.
        with again.follow("--instance", after["instance"], "--after", "0", "--source", "setting") as events:
            self.assertFalse(events.wait("setting", "set", "system/hostname").get("restored"))

    def _trial(self) -> RunningAgent:
        agent = self._started()
        agent.set("system/hostname=pump-7", "network/interfaces/eth0/mtu=1400")
        agent.set("system/hostname=pump-8", "network/interfaces/eth1/mtu=1300", "--confirm", "1d", "--id", "t1")
        return agent

    def _undone(self) -> None:
        """What was confirmed holds from the first answer on, and history says why."""
        again = self._started()
        status = again.status()
        self.assertEqual((status["generation"], status.get("trial")), (3, None))
        self.assertEqual(again.get("system/hostname"), "pump-7")
        self.assertEqual(again.ask("diff", "1", "3")["changes"], [])
        log = {entry["number"]: entry for entry in again.ask("log")["generations"]}
        self.assertEqual(log[2]["state"], "reverted")
        self.assertIn("started anew", log[3]["comment"])
        self.assertEqual(again.set("system/hostname=pump-9"), 4)

    def test_a_change_on_trial_is_undone_by_a_reboot(self) -> None:
        self.require("reboot")
        self._trial()
        self.target.reboot()
        self._undone()

    def test_a_change_on_trial_is_undone_by_a_power_cut(self) -> None:
        self.require("cut")
        self._trial()
        self.target.cut()
        self.target.reboot()
        self._undone()

    def test_settings_outlive_a_power_cut(self) -> None:
        self.require("cut")
        agent = self._started()
        agent.set("system/hostname=pump-7")
        # Acknowledged, and the power goes at once.
        agent.set("system/hostname=pump-8")
        self.target.cut()
        self.target.reboot()
        again = self._started()
        self.assertEqual(again.get("system/hostname"), "pump-8")
        self.assertEqual(again.status()["generation"], 2)
        self.assertEqual(again.status()["store_notes"], [])


if __name__ == "__main__":
    unittest.main()
