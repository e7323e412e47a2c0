"""A system that follows the settings without another root, on a target whose own files do not change."""

from __future__ import annotations

from agent import RunningAgent
from on_target import OnTarget


class OwnSystem(OnTarget):
    """Tests of a system whose files lie on a disk; its kernel is the target's own.

    The bare board's own system lies in memory and is new after each start, so this one is a directory of the disk.
    """

    needs = ("disk", "root", "mount", "deploy")

    def setUp(self) -> None:
        super().setUp()
        self.system = f"{self.target.disk}/{self._testMethodName}"
        self.target.check(f"rm -rf {self.system}; mkdir -p {self.system}/etc && echo factory >{self.system}/etc/hostname")

    def own_agent(self) -> RunningAgent:
        """An agent of the system as it is after a start: with the kernel's file systems, and nothing in /run."""
        programs = self.programs()
        self.target.check(f"""
set -e
umask 022
cd {self.system}
mkdir -p bin dev proc sys run etc/cleat/hooks.d etc/sysctl.d
mount --bind {programs} bin
mount --bind /dev dev
mount -t proc proc proc
mount -t sysfs sysfs sys
mount -t tmpfs -o mode=755 tmpfs run
""")
        agent = RunningAgent(self.target, programs, self.system)
        agent.words = [
            "chroot", self.system, "/bin/cleatd", "--state", "/var/lib/cleat", "--runtime", "/run", "--config",
            "/etc/cleat"]
        self.agents.append(agent)
        return agent

    def _clean_up(self) -> None:
        super()._clean_up()
        if self.target.is_alive():
            # After a reboot none of them is mounted. The system itself goes with the board, or with the test's next run.
            mounts = " ".join(f"{self.system}/{name}" for name in ("run", "sys", "proc", "dev", "bin"))
            self.target.run(f"for mount in {mounts}; do umount -l $mount; done 2>/dev/null")
