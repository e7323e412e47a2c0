"""Tests of an orderly reboot and a cut of the power."""

from __future__ import annotations

import unittest

from agent import RunningAgent
from on_target import OnTarget
from own_system import OwnSystem


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
        # History distinguishes the boots.
        log = again.ask("log")["generations"]
        self.assertEqual(len({entry["boot_id"] for entry in log}), 2)
        # No event of the other boot is reported as one of this boot.
        with again.follow("--instance", after["instance"], "--after", "0", "--source", "setting") as events:
            self.assertFalse(events.wait("setting", "set", "system/hostname").get("restored"))

    def _trial(self) -> RunningAgent:
        agent = self._started()
        agent.set("system/hostname=pump-7", "network/interfaces/eth0/mtu=1400")
        agent.set("system/hostname=pump-8", "network/interfaces/eth1/mtu=1300", "--confirm", "1d", "--id", "t1")
        return agent

    def _undone(self) -> None:
        """Requires that the confirmed settings are in force from the first answer on, and history has the reason."""
        again = self._started()
        status = again.status()
        self.assertEqual((status["generation"], status.get("trial")), (3, None))
        self.assertEqual(again.get("system/hostname"), "pump-7")
        self.assertEqual(again.ask("diff", "1", "3")["changes"], [])
        log = {entry["number"]: entry for entry in again.ask("log")["generations"]}
        self.assertEqual(log[2]["state"], "reverted")
        self.assertIn("restarted", log[3]["comment"])
        self.assertEqual(again.set("system/hostname=pump-9"), 4)

    def test_a_reboot_reverts_a_change_on_trial(self) -> None:
        self.require("reboot")
        self._trial()
        self.target.reboot()
        self._undone()

    def test_a_power_cut_reverts_a_change_on_trial(self) -> None:
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


class SystemRebootTests(OwnSystem):
    """A system that follows the settings, and whose files outlive the cut; its kernel is new."""

    def _facts(self) -> str:
        """A script that prints the files of the system, and the values of its kernel."""
        return (
            f"cat {self.system}/etc/hostname; ls {self.system}/etc/sysctl.d; cat /proc/sys/kernel/hostname "
            f"/proc/sys/net/ipv4/ip_forward")

    def _facts_when_ready(self, agent: RunningAgent) -> str:
        """Returns the state of the system when the agent reports that it is ready, stopped there; then the agent is ended."""
        fifo = f"{self.system}/run/fifo"
        return self.target.check(f"""
mkfifo {fifo}
{" ".join(agent.words)} 2>{fifo} &
pid=$!
while read -r line; do
    echo "$line" >&2
    case $line in *serves*) ;; *) continue ;; esac
    kill -STOP $pid
    {self._facts()}
    kill -CONT $pid
    kill -TERM $pid
done <{fifo}
wait $pid
""", timeout=20)

    def test_a_power_cut_reverts_the_files_of_a_trial(self) -> None:
        self.require("cut")
        kernels = self.target.check("cat /proc/sys/kernel/hostname").strip()
        agent = self.own_agent()
        agent.start()
        agent.set("system/hostname=pump-7")
        before = self.target.check(self._facts())
        self.assertEqual(before.split(), ["pump-7", "pump-7", "0"])
        agent.set(
            "system/hostname=pump-8", "kernel/sysctl/net.ipv4.ip_forward=1", "--confirm", "1d", "--id", "t1")
        changed = ["pump-8", "60-cleat.conf", "pump-8", "1"]
        self.assertEqual(self.target.check(self._facts()).split(), changed)
        self.target.cut()
        self.target.reboot()
        # The files have outlived the cut, and would be what boots; the kernel is new.
        self.assertEqual(self.target.check(self._facts()).split(), ["pump-8", "60-cleat.conf", kernels, "0"])
        again = self.own_agent()
        self.assertEqual(self._facts_when_ready(again), before)
        again.start()
        status = again.status()
        self.assertEqual((status["generation"], status.get("trial")), (3, None))
        self.assertEqual(again.get("system/hostname"), "pump-7")
        # What was there before Cleat came is still known.
        self.assertEqual(again.ask("unset", "system/hostname")["generation"], 4)
        self.assertEqual(self.target.check(f"cat {self.system}/etc/hostname"), "factory\n")


if __name__ == "__main__":
    unittest.main()
