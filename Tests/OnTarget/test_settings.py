"""Settings through the real command line."""

from __future__ import annotations

import json
import unittest

from on_target import OnTarget


class SettingsTests(OnTarget):
    """Get, set, list, history, watching, and what is refused."""

    def test_versions_are_printed(self) -> None:
        place = self.programs()
        for name in ("cleatd", "cleat"):
            self.assertRegex(self.target.check([f"{place}/{name}", "--version"]), r"\d+\.\d+\.\d+")

    def test_it_starts_and_stops(self) -> None:
        agent = self.start()
        status = agent.status()
        self.assertEqual(status["generation"], 0)
        self.assertEqual(status["pid"], agent.pid)
        agent.stop()
        self.assertIn("has ended", agent.log)
        done = agent.cleat("get", "system/hostname")
        self.assertEqual(done.status, 69, str(done))

    def test_get_and_set(self) -> None:
        agent = self.start()
        self.assertEqual(agent.cleat("get", "system/hostname").status, 1)
        self.assertEqual(agent.set("system/hostname=pump-7", 'time/ntp/servers=["a.example", "b.example"]'), 1)
        self.assertEqual(agent.get("system/hostname"), "pump-7")
        self.assertEqual(json.loads(agent.get("time/ntp/servers")), ["a.example", "b.example"])
        found = agent.ask("get", "system/hostname")["setting"]
        self.assertEqual((found["value"], found["origin"], found["in_force"]), ("pump-7", "committed", True))
        self.assertEqual(agent.ask("unset", "system/hostname")["generation"], 2)
        self.assertEqual(agent.cleat("get", "system/hostname").status, 1)

    def test_list(self) -> None:
        agent = self.start()
        agent.set("network/interfaces/eth0/mtu=1400", "system/hostname=pump-7")
        rows = {row["path"]: row for row in agent.ask("list")["settings"]}
        self.assertEqual(list(rows), sorted(rows))
        self.assertEqual(rows["network/interfaces/eth0/mtu"]["value"], 1400)
        self.assertFalse(rows["system/timezone"]["in_force"])
        only = [row["path"] for row in agent.ask("list", "--only-set")["settings"]]
        self.assertEqual(only, ["network/interfaces/eth0/mtu", "system/hostname"])

    def test_history(self) -> None:
        agent = self.start()
        agent.set("system/hostname=a")
        agent.ask("set", "system/hostname=b", "--comment", "the second")
        log = agent.ask("log")["generations"]
        self.assertEqual([entry["number"] for entry in log], [2, 1])
        self.assertEqual(log[0]["comment"], "the second")
        self.assertEqual(log[0]["changes"], [{"path": "system/hostname", "old": "a", "new": "b"}])
        boot = self.target.check("cat /proc/sys/kernel/random/boot_id").strip().replace("-", "")
        self.assertEqual(log[0]["boot_id"].replace("-", ""), boot)
        self.assertEqual(agent.ask("diff", "0", "2")["changes"], [{"path": "system/hostname", "new": "b"}])

    def test_watch_sees_the_change(self) -> None:
        agent = self.start()
        with self.target.spawn(
            [f"{agent.programs}/cleat", "watch", "system", "--output", "json-lines"], environment=agent.environment
        ) as watch:
            first = json.loads(watch.read_line() or "")
            self.assertTrue(first["initial"])
            self.assertIn("system/hostname", [row["path"] for row in first["settings"]])
            # What is not asked for is not told.
            agent.set("time/ntp/enabled=false")
            agent.set("system/hostname=pump-7")
            change = json.loads(watch.read_line() or "")
            self.assertFalse(change["initial"])
            self.assertEqual([(row["path"], row["value"]) for row in change["settings"]], [("system/hostname", "pump-7")])

    def test_bad_input_changes_nothing(self) -> None:
        agent = self.start()
        agent.set("system/hostname=pump-7")
        cases = [
            (["set", "system/hostnam=x"], 65, "system/hostname"),
            (["set", "system/hostname=x", "network/interfaces/eth0/mtu=12"], 65, "at least 68"),
            (["set", "network/interfaces/eth0/mtu=many"], 65, "mtu"),
            (["set", "system/hostname"], 64, "system/hostname"),
            (["set", "system//hostname=x"], 65, "system//hostname"),
            (["set", "system/hostname=x", "--expect", "0"], 75, "1"),
            (["get", "no/such/thing"], 65, "no/such/thing"),
        ]
        for words, status, said in cases:
            with self.subTest(words=words):
                done = agent.cleat(*words)
                self.assertIn(done.status, (status, 64) if status == 65 else (status,), str(done))
                self.assertIn(said, done.err)
                self.assertEqual(done.out, "")
        self.assertEqual(agent.status()["generation"], 1)
        self.assertEqual(agent.get("system/hostname"), "pump-7")

    def test_a_change_on_trial_reverts_unless_it_is_confirmed(self) -> None:
        agent = self.start()
        agent.set("system/hostname=pump-7")
        with agent.follow("--source", "agent") as events:
            agent.set("system/hostname=pump-8", "--confirm", "2s", "--id", "t1")
            self.assertEqual(agent.get("system/hostname"), "pump-8")
            events.wait("agent", "change-reverted", "t1")
        self.assertEqual(agent.get("system/hostname"), "pump-7")
        agent.set("system/hostname=pump-9", "--confirm", "5m", "--id", "t2")
        refused = agent.cleat("set", "system/timezone=UTC")
        self.assertEqual(refused.status, 75, str(refused))
        self.assertIn("t2", refused.err)
        agent.kill()
        again = self.start()
        self.assertEqual(again.status()["trial"]["id"], "t2")
        self.assertEqual(again.ask("confirm", "t2")["state"], "confirmed")
        again.kill()
        self.assertEqual(self.start().get("system/hostname"), "pump-9")

    def test_garbage_on_the_socket_is_harmless(self) -> None:
        agent = self.start()
        place = f"{agent.programs}/cleatd"
        for garbage in (b"\0", b"{}\0", b"[1,2\0", b"\xff\xfe" * 3000, b'{"method":"org.none.Such"}\0', b"x" * 200_000):
            self.target.run(
                [place, "connect", "--socket", agent.socket], input=garbage, timeout=10)
        self.assertEqual(agent.get("agent/log/level"), "info")

    def test_the_relay_carries_calls(self) -> None:
        agent = self.start()
        call = b'{"method":"org.varlink.service.GetInfo"}\0'
        done = self.target.run(
            [f"{agent.programs}/cleatd", "connect", "--socket", agent.socket], input=call)
        reply = json.loads(done.out.split("\0")[0])
        self.assertIn("dev.cleat.Settings", reply["parameters"]["interfaces"])


if __name__ == "__main__":
    unittest.main()
