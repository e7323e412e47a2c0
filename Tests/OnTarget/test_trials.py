"""Changes on trial that disconnect the network, and clocks that jump meanwhile."""

from __future__ import annotations

import time
import unittest

from agent import RunningAgent
from on_target import OnTarget
from own_system import OwnSystem
from target.target import Target


def uptime(target: Target) -> float:
    """The kernel's CLOCK_BOOTTIME, in seconds; up to a hundredth less."""
    return float(target.check("cat /proc/uptime").split()[0])


class NetworkTrialTests(OwnSystem):
    """A change on trial that switches off the board's one network interface, over which a client would confirm it.

    The tests reach the board in another way. A router answers at the far end of the interface.
    """

    needs = (*OwnSystem.needs, "busybox-init")
    router = "10.0.2.2"

    def setUp(self) -> None:
        super().setUp()
        # It is removed with the interface, and must be restored with it.
        self.target.check(f"ip route add default via {self.router} dev eth0")
        self.addCleanup(self._repair)
        self.before = self._facts()
        self.assertIn("10.0.2.15/24", self.before)
        self._await_the_router()
        self.agent = self.own_agent()
        self.agent.start()

    def _repair(self) -> None:
        """Restores the interface for the other tests, whatever the result of this one."""
        if self.target.is_alive():
            for agent in self.agents:
                agent.close()
            self.target.run(
                "ip link set eth0 up; ip addr add 10.0.2.15/24 dev eth0; ip route del default dev eth0", timeout=10)

    def _facts(self) -> str:
        """The state of the interface: its flags, its addresses, the routes."""
        return self.target.check(
            "cat /sys/class/net/eth0/flags /sys/class/net/eth0/mtu; ip -4 addr show dev eth0 | grep inet; ip -4 route")

    def _await_the_router(self) -> None:
        """Waits for an answer to the board's address; the first packets of a link that came up may be lost."""
        self.target.eventually(
            "the router's answer comes to the address",
            lambda: self.target.run(f"ping -c 1 -W 1 -I 10.0.2.15 {self.router}", timeout=5).status == 0)

    def _cut_off(self, identifier: str, last: str) -> float:
        """Switches the interface off on trial, and checks at once that no packet passes it any more; returns the boot
        time before which it must not revert. `last` is run on the board right after that."""
        done = self.target.check(f"""
set -e
read -r began rest </proc/uptime
{self.agent.programs}/cleat set network/interfaces/eth0/enabled=false --confirm 4s --id {identifier} >&2
flags=$(cat /sys/class/net/eth0/flags)
if ping -c 1 -W 1 {self.router} >/dev/null 2>&1; then answer=answered; else answer=silence; fi
{last}
echo $began $flags $answer
""", environment=self.agent.environment)
        began, flags, answer = done.split()
        self.assertEqual(int(flags, 16) & 1, 0, "it is on, although it was switched off")
        self.assertEqual(answer, "silence")
        return float(began) + 4

    def _undone(self, identifier: str, earliest: float) -> None:
        """Waits until it reverts by itself, and checks that the state is as before and the address answers."""
        instance = self.agent.status()["instance"]
        # From the start of this run of the service on: it may revert before a client can connect.
        with self.agent.follow("--instance", instance, "--after", "0", "--source", "agent") as events:
            undone = events.wait("agent", "change-reverted", identifier)
        self.assertIn("it was not confirmed", undone["properties"]["REASON"])
        self.assertGreaterEqual(undone["boot_time"], earliest * 1000)
        self.assertEqual(self._facts(), self.before)
        self._await_the_router()
        self.assertIsNone(self.agent.status().get("trial"))
        self.assertEqual(self.agent.ask("list", "--only-set")["settings"], [])

    def test_a_trial_that_disconnects_the_network_reverts(self) -> None:
        earliest = self._cut_off("t1", "true")
        self._undone("t1", earliest)

    def test_a_trial_that_disconnects_the_network_reverts_after_a_kill(self) -> None:
        earliest = self._cut_off("t1", f"kill -9 {self.agent.pid}")
        self.agent.process.wait()
        self.agent.start()
        self._undone("t1", earliest)


class ClockTests(OnTarget):
    """A wall clock that jumps by a year, as where a board learns the time after its start; nothing else follows it."""

    needs = ("root", "deploy", "busybox-init")
    year = 366 * 86_400

    def setUp(self) -> None:
        super().setUp()
        self.addCleanup(self._set_right)

    def _set_right(self) -> None:
        """Gives the target this machine's time, as it had before."""
        if self.target.is_alive():
            self.target.check(f"date -s @{int(time.time())}")

    def _remains(self, agent: RunningAgent, earliest: float, latest: float) -> None:
        """Checks that the remaining time of the trial ends between these two instants of the boot."""
        before = uptime(self.target)
        trial = agent.status()["trial"]
        after = uptime(self.target)
        self.assertEqual((trial["id"], trial["phase"]), ("t1", "awaiting_confirm"))
        # Times of the boot are cut to hundredths of a second, what remains to thousandths.
        self.assertGreaterEqual(trial["remaining"], (earliest - after - 0.02) * 1000)
        self.assertLessEqual(trial["remaining"], (latest - before + 0.02) * 1000)

    def test_jumps_of_the_clock_move_no_end_of_a_trial(self) -> None:
        agent = self.start()
        agent.set("system/hostname=pump-7")
        now = int(self.target.check("date +%s"))
        earliest = uptime(self.target) + 600
        agent.set("system/hostname=pump-8", "--confirm", "10m", "--id", "t1")
        latest = uptime(self.target) + 600
        self.target.check(f"date -s @{now + self.year}")
        self._remains(agent, earliest, latest)
        agent.kill()
        agent = self.start()
        self._remains(agent, earliest, latest)
        self.target.check(f"date -s @{now - self.year}")
        self._remains(agent, earliest, latest)
        self.assertEqual(agent.get("system/hostname"), "pump-8")
        # The end comes near, and the clock jumps once more each way: it is undone then, not before and not in a year.
        with agent.follow("--source", "agent") as events:
            earliest = uptime(self.target) + 3
            agent.ask("extend", "3s", "t1")
            self.target.check(f"date -s @{now + self.year} && date -s @{now - self.year}")
            undone = events.wait("agent", "change-reverted", "t1")
        self.assertGreaterEqual(undone["boot_time"], earliest * 1000)
        self.assertEqual(agent.get("system/hostname"), "pump-7")


if __name__ == "__main__":
    unittest.main()
