"""Tests of settings for parts that only a board has: LEDs, and interfaces that BusyBox's ifup configures."""

from __future__ import annotations

import unittest

from agent import RunningAgent
from own_system import OwnSystem


class LightTests(OwnSystem):
    """The LEDs of a keyboard that is plugged in (Documentation/input/input-leds)."""

    needs = (*OwnSystem.needs, "usb-kbd")

    def setUp(self) -> None:
        super().setUp()
        self.plug("usb-kbd", "keyboard")
        path = self.target.eventually(
            "the keyboard has lights", lambda: self.target.run("ls -d /sys/class/leds/*::capslock").out.strip())
        self.light = path.rsplit("/", 1)[-1]
        self.before = self._facts()
        self.assertIn("[kbd-capslock]", self.before)
        self.assertEqual(self._brightness(), "0")
        self.agent = self.own_agent()
        self.agent.start()

    def _facts(self) -> str:
        """The state of the LED: its trigger among all of them, and its brightness."""
        return self.target.check(f"cd /sys/class/leds/{self.light} && cat trigger brightness")

    def _brightness(self) -> str:
        return self._facts().splitlines()[-1]

    def test_a_light_is_as_before_once_a_trial_is_over(self) -> None:
        self.agent.set(f"leds/{self.light}/brightness=1", "--confirm", "10m", "--id", "t1")
        on = self._facts()
        self.assertIn("[none]", on)
        self.assertEqual(self._brightness(), "1")
        with self.agent.follow("--source", "agent") as events:
            self.agent.ask("extend", "1s", "t1")
            undone = events.wait("agent", "change-reverted", "t1")
        self.assertIn("it was not confirmed", undone["properties"]["REASON"])
        self.assertEqual(self._facts(), self.before)

        self.agent.set(f"leds/{self.light}/trigger=heartbeat")
        self.assertIn("[heartbeat]", self._facts())
        # Setting the brightness of an LED ends its trigger; a revert restores the trigger.
        self.agent.set(f"leds/{self.light}/trigger=none", "--confirm", "10m", "--id", "t2")
        self.assertIn("[none]", self._facts())
        self.agent.ask("abort", "t2")
        self.assertIn("[heartbeat]", self._facts())
        # Only the brightness is unset: the trigger stays.
        self.agent.set(f"leds/{self.light}/brightness=1")
        self.agent.ask("unset", f"leds/{self.light}/brightness")
        self.assertIn("[heartbeat]", self._facts())
        self.agent.ask("unset", f"leds/{self.light}/trigger")
        self.assertEqual(self._facts(), self.before)

    def test_a_light_that_was_on_is_on_again_once_a_trigger_was_tried(self) -> None:
        self.agent.set(f"leds/{self.light}/brightness=1")
        on = self._facts()
        self.assertIn("[none]", on)
        self.agent.set(f"leds/{self.light}/trigger=heartbeat", "--confirm", "10m", "--id", "t1")
        self.assertIn("[heartbeat]", self._facts())
        self.agent.ask("abort", "t1")
        self.assertEqual(self._facts(), on)
        self.agent.ask("unset", f"leds/{self.light}/brightness")
        self.assertEqual(self._facts(), self.before)

    def test_parameters_of_a_trigger_are_restored_with_it(self) -> None:
        place = f"/sys/class/leds/{self.light}"
        self.target.check(f"echo heartbeat >{place}/trigger; echo 1 >{place}/invert")
        self.agent.set(f"leds/{self.light}/trigger=none", "--confirm", "10m", "--id", "t1")
        self.assertNotEqual(self.target.run(f"test -e {place}/invert").status, 0)
        self.agent.ask("abort", "t1")
        self.assertIn("[heartbeat]", self._facts())
        self.assertEqual(self.target.check(f"cat {place}/invert"), "1\n")
        self.agent.set(f"leds/{self.light}/brightness=1")
        self.agent.ask("unset", f"leds/{self.light}/brightness")
        self.assertEqual(self.target.check(f"cat {place}/invert"), "1\n")

    def test_a_trial_ends_although_its_light_has_gone(self) -> None:
        self.agent.set(f"leds/{self.light}/brightness=1", "system/hostname=pump-8", "--confirm", "10m", "--id", "t1")
        self.assertEqual(self._brightness(), "1")
        self.unplug("keyboard")
        self.target.eventually(
            "its lights have gone", lambda: self.target.run(f"ls -d /sys/class/leds/{self.light}").status != 0)
        done = self.agent.cleat("abort", "t1")
        self.assertEqual(done.status, 0, str(done))
        self.assertIn("it does not exist any more", done.out)
        self.assertIsNone(self.agent.status().get("trial"))
        self.assertEqual(self.target.check(f"cat {self.system}/etc/hostname"), "factory\n")


    def test_a_light_that_has_gone_leaves_no_drift_once_it_is_unset(self) -> None:
        self.agent.set(f"leds/{self.light}/brightness=1")
        self.unplug("keyboard")
        self.target.eventually(
            "its lights have gone", lambda: self.target.run(f"ls -d /sys/class/leds/{self.light}").status != 0)
        reset = self.agent.cleat("reset", "--yes", "leds")
        self.assertEqual(reset.status, 0, str(reset))
        for verb in ("drift", "doctor"):
            found = self.agent.cleat(verb)
            self.assertNotIn(self.light, found.out + found.err, str(found))


class BusyBoxInterfaceTests(OwnSystem):
    """An interface that BusyBox's ifup and ifdown configure."""

    needs = (*OwnSystem.needs, "busybox-init")
    path = "network/interfaces/cleat0"

    def own_agent(self) -> RunningAgent:
        """An agent of a system that is BusyBox and the two programs."""
        agent = super().own_agent()
        self.target.check(f"""
set -e
umask 022
cd {self.system}
umount bin
mount -t tmpfs -o mode=755 tmpfs bin
for program in cleatd cleat; do
    : >bin/$program
    mount --bind {agent.programs}/$program bin/$program
done
cp /bin/busybox bin/busybox
ln -s busybox bin/sh
mkdir -p sbin var etc/network/interfaces.d
ln -sf ../run var/run
for part in pre-up up down post-down; do mkdir -p etc/network/if-$part.d; done
for name in ifup ifdown ip run-parts; do ln -sf ../bin/busybox sbin/$name; done
echo source-directory /etc/network/interfaces.d >etc/network/interfaces
""")
        return agent

    def setUp(self) -> None:
        super().setUp()
        self.target.check("ip link add cleat0 type dummy")
        self.addCleanup(lambda: self.target.is_alive() and self.target.run("ip link del cleat0"))
        self.agent = self.own_agent()
        self.agent.start()

    def _facts(self) -> list[str]:
        """The MTU, the state, the addresses and the routes."""
        return self.target.check(
            "cat /sys/class/net/cleat0/mtu; ip link show dev cleat0 | grep -o '[<,]UP[,>]'; "
            "ip addr show dev cleat0 | grep -v fe80: | grep -o 'inet6* [^ ]*' | sort; "
            "ip route show dev cleat0 | cut -d ' ' -f 1-3 | sort"
        ).split("\n")[:-1]

    def test_an_interface_is_restored_when_a_trial_reverts(self) -> None:
        before = self._facts()
        self.assertEqual(before, ["1500"])
        self.agent.set(
            f'{self.path}/addresses=["192.0.2.1/24","198.51.100.1/25","2001:db8::1/64"]', f"{self.path}/mtu=1400",
            f'{self.path}/routes=[{{"destination":"10.8.0.0/16","gateway":"192.0.2.9","metric":7}}]')
        wanted = [
            "1400", ",UP,", "inet 192.0.2.1/24", "inet 198.51.100.1/25", "inet6 2001:db8::1/64",
            "10.8.0.0/16 via 192.0.2.9", "192.0.2.0/24 dev cleat0", "198.51.100.0/25 dev cleat0"]
        self.assertEqual(self._facts(), wanted)
        self.agent.set(
            f'{self.path}/addresses=["203.0.113.5/24"]', f"{self.path}/mtu=1300", f"{self.path}/routes=[]", "--confirm",
            "10m", "--id", "t1")
        # The old addresses stay while others are on trial.
        self.assertEqual(self._facts()[:6], [
            "1300", ",UP,", "inet 192.0.2.1/24", "inet 198.51.100.1/25", "inet 203.0.113.5/24", "inet6 2001:db8::1/64"])
        self.agent.ask("abort", "t1")
        self.assertEqual(self._facts(), wanted)
        self.agent.ask("unset", f"{self.path}/addresses", f"{self.path}/mtu", f"{self.path}/routes")
        self.assertEqual(self._facts(), before)


if __name__ == "__main__":
    unittest.main()
