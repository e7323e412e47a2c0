"""The files of `deploy` as they are installed on a board, through a boot."""

from __future__ import annotations

import json
import unittest
from pathlib import Path

from agent import RunningAgent
from on_target import REPOSITORY, RUN, OnTarget
from target.errors import TargetError
from target.target import Target

DEPLOY = REPOSITORY / "deploy"
UNITS = ("cleatd.service", "cleatd-retry.timer")


class Deployed(RunningAgent):
    """The agent that the target's own init system has started, with the paths that it has by default."""

    def __init__(self, target: Target) -> None:
        super().__init__(target, "/usr/bin", "/run/cleat")
        self.socket = "/run/cleat/socket"

    @property
    def environment(self) -> dict[str, str]:
        # As an administrator calls it: the socket is found where it is.
        return {}

    @property
    def pid(self) -> int:
        return int(self.status()["pid"])

    def is_ready(self) -> bool:
        """Returns True if it answers."""
        return self.cleat("get", "agent/log/level").status == 0


def programs() -> dict[str, tuple[Path, int]]:
    """The programs of this run as they are installed."""
    assert RUN.programs is not None
    return {f"/usr/bin/{name}": (RUN.programs / name, 0o755) for name in ("cleatd", "cleat")}


def examples() -> dict[str, tuple[Path, int]]:
    """The examples as they are installed."""
    found = {"/etc/cleat/cleatd.json5": (DEPLOY / "examples/cleatd.json5", 0o644)}
    for file in sorted((DEPLOY / "examples/hooks.d").glob("*.json5")):
        found[f"/etc/cleat/hooks.d/{file.name}"] = (file, 0o644)
    return found


def install(target: Target, *more: dict[str, tuple[Path, int]]) -> None:
    """Installs the programs and the units, with more files."""
    for files in (programs(), *more):
        for path, (file, mode) in files.items():
            target.put(file, path, mode=mode)
    for unit in UNITS:
        target.put(DEPLOY / "systemd" / unit, f"/usr/lib/systemd/system/{unit}")
    target.check("systemctl daemon-reload", timeout=20)


def remove(target: Target) -> None:
    """Stops the service, and removes all of its files."""
    target.run(
        "systemctl disable --now cleatd.service; rm -rf /usr/lib/systemd/system/cleatd* "
        "/var/lib/cleat /etc/cleat /usr/bin/cleat /usr/bin/cleatd; systemctl daemon-reload", timeout=20)


class SystemdTests(OnTarget):
    """`deploy/systemd/cleatd.service` on a system with systemd and udevd."""

    needs = ("deploy", "systemd", "reboot", "root")

    @classmethod
    def prepare(cls) -> None:
        install(cls.target, examples())
        cls.target.check("systemctl enable --now cleatd.service", timeout=20)

    @classmethod
    def tearDownClass(cls) -> None:
        if cls.can_run() and cls.target.is_alive():
            remove(cls.target)

    def setUp(self) -> None:
        super().setUp()
        self.agent = Deployed(self.target)
        self.target.check("systemctl start cleatd.service", timeout=20)

    def _shown(self, *names: str) -> dict[str, str]:
        text = self.target.check(["systemctl", "show", "cleatd.service", *(f"--property={name}" for name in names)])
        return dict(line.split("=", 1) for line in text.splitlines() if "=" in line)

    def test_it_is_ready_when_systemd_reports_it(self) -> None:
        shown = self._shown("ActiveState", "SubState", "MainPID", "Result", "StatusText")
        self.assertEqual((shown["ActiveState"], shown["SubState"], shown["Result"]), ("active", "running", "success"))
        self.assertEqual(self.agent.pid, int(shown["MainPID"]))
        self.assertIn("/run/cleat/socket", shown["StatusText"])
        self.assertEqual(self.agent.status()["state_directory"], "/var/lib/cleat")
        modes = self.target.check(["stat", "-c", "%a %n", "/var/lib/cleat", "/run/cleat", "/run/cleat/socket"])
        self.assertRegex(modes, r"^700 /var/lib/cleat\n755 /run/cleat\n6[06]0 /run/cleat/socket\n$")
        self.assertEqual(self.agent.observer("devices"), "netlink udevd group")
        self.assertNotIn("cleatd.service", self.target.check("systemctl --failed --no-legend"))

    def test_the_examples_are_in_force(self) -> None:
        hooks = self.agent.ask("hook", "list")
        said = [problem["message"] for problem in hooks["problems"] if "does not exist" not in problem["message"]]
        self.assertEqual(said, [])
        self.assertIsNone(self.agent.status().get("config_problem"))
        before = self.agent.hook("30-new-hostname")["runs"]
        self.agent.ask("unset", "system/hostname")
        self.agent.set("system/hostname=pump-9")
        self.agent.wait_for_hook("30-new-hostname", before + 1)

    def test_it_is_restarted_after_a_crash(self) -> None:
        self.agent.set("system/hostname=pump-7")
        before = self.agent.pid
        self.target.check(["kill", "-9", str(before)])
        self.target.eventually("systemd has started it again", lambda: self.agent.is_ready() and self.agent.pid != before)
        self.assertEqual(self.agent.get("system/hostname"), "pump-7")
        self.assertNotEqual(self._shown("NRestarts")["NRestarts"], "0")

    def test_a_service_that_hangs_is_restarted_by_the_watchdog_in_the_middle_of_a_trial(self) -> None:
        directory = "/run/systemd/system/cleatd.service.d"
        self.target.put(b"[Service]\nWatchdogSec=4\n", f"{directory}/watchdog.conf")
        self.addCleanup(self.target.run, f"rm -r {directory}; systemctl daemon-reload; systemctl restart cleatd.service", timeout=30)
        self.target.check("systemctl daemon-reload; systemctl restart cleatd.service", timeout=30)
        self.agent.set("system/hostname=pump-7")
        self.agent.set("system/hostname=pump-8", "--confirm", "10m", "--id", "t1")
        before = self.agent.pid
        self.target.check(["kill", "-STOP", str(before)])
        self.target.eventually("systemd has started it again", lambda: self.agent.is_ready() and self.agent.pid != before, 60)
        trial = self.agent.status().get("trial") or {}
        self.assertEqual(trial.get("id"), "t1")
        self.assertIn("Watchdog timeout", self.target.journal())
        self.agent.ask("abort", "t1")
        self.assertEqual(self.target.check("cat /etc/hostname; hostname").split(), ["pump-7", "pump-7"])

    def test_its_messages_have_the_fields_of_the_journal(self) -> None:
        self.target.put(b"{ match: ", "/etc/cleat/hooks.d/95-broken.json5")
        self.addCleanup(self.target.run, "rm -f /etc/cleat/hooks.d/95-broken.json5; systemctl reload cleatd.service")
        self.target.check("systemctl restart cleatd.service; journalctl --sync", timeout=30)
        text = self.target.check(f"journalctl --output json _PID={self.agent.pid}")
        lines = [json.loads(line) for line in text.splitlines()]
        self.assertEqual({line["SYSLOG_IDENTIFIER"] for line in lines}, {"cleatd"})
        self.assertEqual({line["_SYSTEMD_UNIT"] for line in lines}, {"cleatd.service"})
        self.assertFalse([line["MESSAGE"] for line in lines if str(line["MESSAGE"]).startswith("<")])
        levels = {priority: [str(line["MESSAGE"]) for line in lines if line["PRIORITY"] == priority] for priority in "3456"}
        self.assertTrue(any("serves /run/cleat/socket" in message for message in levels["5"]), levels)
        self.assertTrue(any("95-broken.json5" in message for message in levels["3"] + levels["4"]), levels)

    def test_an_agent_that_cannot_start_is_tried_with_growing_pauses_until_it_can(self) -> None:
        self.target.check("systemctl stop cleatd.service; systemctl reset-failed cleatd.service; "
                          "mv /var/lib/cleat /var/lib/cleat.kept; mkdir -p /var/lib/cleat/settings.db", timeout=20)
        self.addCleanup(self.target.run, f"{self.RESTORE}; systemctl reset-failed cleatd.service")
        begin = self.target.check("journalctl --sync; date '+%Y-%m-%d %H:%M:%S'").strip()
        self.target.run("systemctl start cleatd.service")
        self.target.eventually("its restarts have reached their limit", lambda: self._is_failed("exit-code"), 60)
        tries = self._tries(begin)
        self.assertEqual(tries, 5)
        self.assertIn("waiting", self.target.check("systemctl show cleatd-retry.timer --property=SubState"))
        # A service that still cannot start is tried again by the timer, too.
        self.target.eventually("the timer has tried again", lambda: self._tries(begin) > tries, 200)
        self.target.eventually("that has reached the limit, too", lambda: self._is_failed("exit-code"), 60)
        self.target.check(self.RESTORE)
        self.target.eventually("the timer has started it", self.agent.is_ready, 200)
        self.assertEqual(self._shown("ActiveState")["ActiveState"], "active")
        # A stopped service stays stopped.
        self.target.check("systemctl stop cleatd.service", timeout=20)
        self.assertIn("dead", self.target.check("systemctl show cleatd-retry.timer --property=SubState"))

    RESTORE = "if [ -d /var/lib/cleat.kept ]; then rm -rf /var/lib/cleat; mv /var/lib/cleat.kept /var/lib/cleat; fi"

    def test_a_state_directory_that_cannot_be_made_is_reported_by_a_service_that_runs(self) -> None:
        self.target.check("systemctl stop cleatd.service; mount -t tmpfs -o ro tmpfs /var/lib", timeout=20)
        self.addCleanup(self.target.run, "umount /var/lib; systemctl restart cleatd.service", timeout=30)
        self.target.check("systemctl start cleatd.service", timeout=20)
        refused = self.agent.cleat("set", "system/hostname=lost")
        self.assertNotEqual(refused.status, 0)
        self.assertIn("Read-only file system", refused.err)
        self.assertNotEqual(self.agent.status()["store_notes"], [])

    def test_a_mount_that_a_boot_does_not_wait_for_is_waited_for_by_the_service(self) -> None:
        self.agent.set("system/hostname=pump-7")
        # As with a disk that is found late: the boot goes on without it.
        line = "LABEL=late /var/lib/cleat ext4 nofail,x-systemd.device-timeout=1s 0 2"
        self.target.check("systemctl stop cleatd.service; mv /var/lib/cleat /var/late; mkdir /var/lib/cleat; "
                          f"cp -p /etc/fstab /etc/fstab.kept; echo '{line}' >>/etc/fstab", timeout=20)
        self.addCleanup(
            self.target.run, "mv /etc/fstab.kept /etc/fstab; systemctl daemon-reload; systemctl stop cleatd.service; "
            "umount /var/lib/cleat; rmdir /var/lib/cleat && mv /var/late /var/lib/cleat; systemctl start cleatd.service", timeout=30)
        self.target.reboot()
        self.target.eventually("it has started with the system", self.agent.is_ready, 20)
        shown = self._shown("ActiveState", "StatusText")
        self.assertEqual(shown["ActiveState"], "active")
        self.assertIn("nothing is mounted at /var/lib/cleat, which is in /etc/fstab", shown["StatusText"])
        self.assertNotEqual(self.agent.cleat("set", "system/hostname=lost").status, 0)
        self.assertEqual(self.target.check("ls -A /var/lib/cleat; cat /etc/hostname"), "pump-7\n")
        finding = self.agent.cleat("doctor")
        self.assertIn("the service uses the store at once", finding.out)
        before = self.agent.pid
        self.target.check("mount --bind /var/late /var/lib/cleat")
        self.target.eventually("it has the store", lambda: self.agent.cleat("set", "system/hostname=pump-8").status == 0, 20)
        self.assertEqual(self.agent.pid, before)
        self.assertIn("“After=var-lib-cleat.mount”", self.agent.cleat("doctor").out)
        self.assertEqual(self._shown("ActiveState", "NRestarts"), {"ActiveState": "active", "NRestarts": "0"})

    def _is_failed(self, result: str) -> bool:
        shown = self._shown("ActiveState", "Result")
        return shown["ActiveState"] == "failed" and shown["Result"] == result

    def _tries(self, begin: str) -> int:
        return int(self.target.run(
            f"journalctl --sync; journalctl --quiet --unit cleatd.service --since '{begin}' "
            "| grep -c 'Main process exited'").out)

    def test_reload_reads_hooks_again(self) -> None:
        self.target.put(
            b'{ match: { source: "agent" }, run: ["/bin/true"] }\n', "/etc/cleat/hooks.d/90-new.json5")
        self.target.check("systemctl reload cleatd.service", timeout=20)

        def names() -> list[str]:
            return [hook["name"] for hook in self.agent.ask("hook", "list")["hooks"]]

        # The unit's reload is a signal: systemd does not wait for its effect.
        self.target.eventually("the new hook is in force", lambda: "90-new" in names())
        self.target.check("rm /etc/cleat/hooks.d/90-new.json5; systemctl reload cleatd.service", timeout=20)
        self.target.eventually("it is in force no longer", lambda: "90-new" not in names())
        self.assertEqual(self._shown("ActiveState", "NRestarts")["ActiveState"], "active")

    def test_it_stops_in_order(self) -> None:
        self.target.check("systemctl stop cleatd.service", timeout=20)
        shown = self._shown("ActiveState", "Result")
        self.assertEqual((shown["ActiveState"], shown["Result"]), ("inactive", "success"))

    def test_settings_and_service_are_restored_by_a_boot(self) -> None:
        self.agent.set("system/hostname=pump-7", "network/interfaces/eth0/mtu=1400")
        before = self.agent.status()
        self.target.reboot()
        self.target.eventually("it has started with the system", self.agent.is_ready, 20)
        after = self.agent.status()
        self.assertEqual((after["store"], after["generation"]), (before["store"], before["generation"]))
        self.assertEqual(self.agent.get("system/hostname"), "pump-7")
        self.assertEqual(after["store_notes"], [])
        self.assertEqual(self.agent.observer("devices"), "netlink udevd group")
        # Early, as ordered by the unit: before the network is configured.
        order = self.target.check(
            "systemctl show cleatd.service --property=ActiveEnterTimestampMonotonic --value; "
            "systemctl show network-pre.target --property=ActiveEnterTimestampMonotonic --value").split()
        self.assertNotIn("0", order)
        self.assertLess(int(order[0]), int(order[1]))
        self.assertNotIn("ordering cycle", self.target.journal())

    def test_the_ready_schema_services_follows_its_settings(self) -> None:
        self.target.put(DEPLOY / "schemas/services", "/usr/share/cleat/schemas/services", mode=0o755)
        self.target.put(DEPLOY / "schemas/services.json", "/etc/cleat/schema.d/services.json")
        for name, kind, program in (("good", "exec", "sleep 600"), ("bad", "oneshot", "false")):
            text = f"[Service]\nType={kind}\nExecStart=/bin/{program}\n[Install]\nWantedBy=multi-user.target\n"
            self.target.put(text.encode(), f"/etc/systemd/system/cleat-test-{name}.service")
        self.addCleanup(
            self.target.run, "systemctl disable --now cleat-test-good cleat-test-bad; rm -rf /etc/systemd/system/cleat-test-* "
            "/usr/share/cleat/schemas /etc/cleat/schema.d/services.json /etc/cleat-services*; "
            "systemctl daemon-reload; systemctl reload cleatd.service", timeout=20)
        self.target.check("systemctl daemon-reload; systemctl reload cleatd.service", timeout=20)
        self.target.eventually(
            "the schema is in force", lambda: self.agent.cleat("describe", "services/units/x/enabled").status == 0)

        def state(name: str) -> list[str]:
            return self.target.run(f"systemctl is-enabled {name}; systemctl is-active {name}").out.split()

        self.agent.set("services/units/cleat-test-good/enabled=true")
        self.assertEqual(state("cleat-test-good"), ["enabled", "active"])
        bad = self.agent.cleat(
            "set", "services/units/cleat-test-bad/enabled=true", "services/units/cleat-test-good/enabled=false")
        self.assertEqual(bad.status, 10)
        self.assertEqual(state("cleat-test-bad")[0], "disabled")
        self.assertEqual(state("cleat-test-good"), ["enabled", "active"])
        self.agent.ask("unset", "services/units/cleat-test-good/enabled")
        self.assertEqual(state("cleat-test-good"), ["disabled", "inactive"])

    def test_events_of_the_deployed_agent(self) -> None:
        self.require("usb-serial")
        with self.agent.follow("--source", "device") as events:
            self.plug("usb-serial", "plug1")
            event = events.wait("device", "add", SUBSYSTEM="tty")
            self.assertIn("ID_SERIAL", event["properties"], "udevd's properties are there")
            self.unplug("plug1")
            events.wait("device", "remove", SUBSYSTEM="tty")


class BusyBoxTests(OnTarget):
    """`deploy/busybox/S15cleatd` on a system that BusyBox has booted, with its store on a disk."""

    needs = ("deploy", "busybox-init", "reboot", "disk", "root")
    booted: Target | None = None

    @classmethod
    def prepare(cls) -> None:
        files: dict[str, tuple[bytes | Path, int]] = {**programs(), **examples()}
        files["/etc/init.d/S15cleatd"] = (DEPLOY / "busybox/S15cleatd", 0o755)
        # Record the state for a script before the agent, and for one at the position of Buildroot's network script.
        look = b'#!/bin/sh\ncat /etc/hostname /proc/sys/kernel/hostname >"/run/${0##*/}"\n'
        files |= {f"/etc/init.d/{name}": (look, 0o755) for name in ("S14look", "S40look")}
        # Buildroot's S01syslogd runs before the agent, too; the board's own init starts it last.
        inittab = (REPOSITORY / "cross/vboard/bare/etc/inittab").read_text(encoding="utf-8")
        files["/etc/inittab"] = ("".join(
            line for line in inittab.splitlines(keepends=True) if "/sbin/syslogd" not in line).encode(), 0o644)
        shared = cls.target
        # The steps of Buildroot's rcS: file systems of /etc/fstab, then every start script in order. `/etc` is on the disk,
        # as on a board whose root file system can be written to, and the board uses the name in it.
        rest = f"""
mkdir -p {shared.disk} /var/lib/cleat
mount -t ext4 /dev/vda {shared.disk}
mkdir -p -m 0700 {shared.disk}/cleat
mount -o bind {shared.disk}/cleat /var/lib/cleat
cd {shared.disk}
test -e etc || {{ cp -a /etc new && sync && mv new etc && sync; }}
mount -o bind etc /etc
cd /
hostname -F /etc/hostname
syslogd -C256
for script in /etc/init.d/S??*; do "$script" start; done
"""
        cls.booted = shared.booted_with(files, rest)

    @classmethod
    def tearDownClass(cls) -> None:
        if cls.booted is not None:
            cls.booted.close()
            cls.booted = None

    def setUp(self) -> None:
        super().setUp()
        assert self.booted is not None
        self.target = self.booted  # type: ignore[misc]
        self.agent = Deployed(self.target)
        self.target.eventually("it has started with the system", self.agent.is_ready, 20)

    def _clean_up(self) -> None:
        pass

    def _script(self, word: str) -> str:
        done = self.target.run(["/etc/init.d/S15cleatd", word], timeout=30)
        self.assertEqual(done.status, 0, str(done))
        return done.out

    def test_it_has_started_with_the_system(self) -> None:
        status = self.agent.status()
        self.assertEqual(status["state_directory"], "/var/lib/cleat")
        self.assertEqual(self.agent.observer("devices"), "netlink kernel group")
        self.assertEqual(self.target.get("/run/cleatd.pid").decode().strip(), str(status["pid"]))
        self.assertIn("serves /run/cleat/socket", self.target.journal())

    def test_the_scripts_verbs(self) -> None:
        self.assertIn("already running", self._script("start"))
        before = self.agent.pid
        self.assertEqual(self._script("status"), f"cleatd is running (pid {before})\n")
        self._script("reload")
        self.assertEqual(self.agent.pid, before)
        self.assertIn("OK", self._script("restart"))
        self.target.eventually("it answers again", self.agent.is_ready)
        self.assertNotEqual(self.agent.pid, before)
        self.assertIn("OK", self._script("stop"))
        self.assertFalse(self.agent.is_ready())
        self.assertIn("not running", self._script("stop"))
        stopped = self.target.run(["/etc/init.d/S15cleatd", "status"])
        self.assertEqual((stopped.status, stopped.out), (3, "cleatd is not running\n"))
        self.assertEqual(self.target.run(["/etc/init.d/S15cleatd", "dance"]).status, 64)
        self._script("start")
        self.target.eventually("it answers again", self.agent.is_ready)

    def test_a_killed_agent_is_started_again_until_the_script_stops_it(self) -> None:
        for _ in range(2):
            before = self.agent.pid
            self.target.check(["kill", "-9", str(before)])
            self.target.eventually("it answers again", lambda: self.agent.is_ready() and self.agent.pid != before)
            self.assertEqual(self._script("status"), f"cleatd is running (pid {self.agent.pid})\n")
        # An agent whose supervisor was killed is stopped and started with another one.
        supervisor = self.target.get("/run/cleatd-supervisor.pid").decode().strip()
        self.target.check(["kill", "-9", supervisor])
        self.assertIn("OK", self._script("start"))
        self.assertNotEqual(self.target.get("/run/cleatd-supervisor.pid").decode().strip(), supervisor)
        self.target.eventually("it answers again", self.agent.is_ready)

    def test_the_examples_are_in_force(self) -> None:
        hooks = self.agent.ask("hook", "list")
        self.assertEqual(hooks["problems"], [])
        self.assertIsNone(self.agent.status().get("config_problem"))
        before = self.agent.hook("20-usb-storage")["runs"]
        self.assertEqual(before, 0)
        self.agent.ask("unset", "system/hostname")
        runs = self.agent.hook("30-new-hostname")["runs"]
        self.agent.set("system/hostname=pump-9")
        self.agent.wait_for_hook("30-new-hostname", runs + 1)

    def test_settings_and_service_are_restored_by_a_boot(self) -> None:
        self.agent.set("system/hostname=pump-7", "network/interfaces/eth0/mtu=1400")
        before = self.agent.status()
        try:
            self.target.reboot()
        except TargetError as error:
            self.fail(str(error))
        self.target.eventually("it has started with the system", self.agent.is_ready, 20)
        after = self.agent.status()
        self.assertEqual((after["store"], after["generation"]), (before["store"], before["generation"]))
        self.assertNotEqual(after["instance"], before["instance"])
        self.assertEqual(self.agent.get("system/hostname"), "pump-7")
        self.assertEqual(after["store_notes"], [])

    def test_a_power_cut_reverts_a_trial_before_the_network_starts(self) -> None:
        self.require("cut")
        self.agent.set("system/hostname=pump-7")
        self.agent.set("system/hostname=pump-8", "--confirm", "1d", "--id", "t1")
        self.assertEqual(
            self.target.check("cat /etc/hostname /proc/sys/kernel/hostname").split(), ["pump-8", "pump-8"])
        self.target.cut()
        self.target.reboot()
        # The file has outlived the cut, and the system started with its contents.
        self.assertEqual(self.target.get("/run/S14look").split(), [b"pump-8", b"pump-8"])
        self.assertEqual(self.target.get("/run/S40look").split(), [b"pump-7", b"pump-7"])
        self.assertEqual(self.agent.get("system/hostname"), "pump-7")
        self.assertIsNone(self.agent.status().get("trial"))


if __name__ == "__main__":
    unittest.main()
