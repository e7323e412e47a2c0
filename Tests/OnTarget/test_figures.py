"""Memory and start-up of the real programs on the target, and their activity when nothing happens."""

from __future__ import annotations

import re
import unittest

from agent import RunningAgent
from on_target import RUN, OnTarget


class FigureTests(OnTarget):
    """Memory is asserted: it is stable. Times are reported and not asserted: they depend on the machine."""

    def _told(self, measure: str, figure: str, hold: str) -> None:
        RUN.figures.append((measure, figure, hold))

    def _hold_memory(self, rollup: str, what: str, private: float, pss: float) -> None:
        """Reports and asserts the memory of a smaps_rollup, in MB."""
        memory = {
            name: int(value) * 1024 for name, value in re.findall(r"^(\w+):\s+(\d+) kB$", rollup, re.MULTILINE)}
        # Pss_Anon is “private” in budgets.md: the memory of each further process of the same program.
        self._told(f"{what}: PssAnon", f"{memory['Pss_Anon'] / 1e6:.2f} MB", f"{private:g} MB")
        self._told(f"{what}: PSS", f"{memory['Pss'] / 1e6:.2f} MB", f"{pss:g} MB")
        if RUN.is_release:
            self.assertLessEqual(memory["Pss_Anon"], private * 1e6)
            self.assertLessEqual(memory["Pss"], pss * 1e6)

    def _hold_memory_when_ready(self, what: str, private: float, pss: float) -> None:
        """Starts an agent, stops it when it reports that it is ready, and ends it again.

        It releases the pages of a start right before that, and scans the devices after it. The reader of the report shares
        the agent's processor and comes first there: the agent does nothing else between its report and the signal.
        """
        agent = RunningAgent(self.target, self.programs(), self.directory)
        fifo = f"{self.directory}/fifo"
        agent.make_directories()
        self.target.check(f"rm -f {fifo}; mkfifo {fifo}")
        script = f"""
taskset -p 1 $$ >/dev/null
{" ".join(agent.words)} 2>{fifo} &
pid=$!
renice -n -20 -p $$ >/dev/null
while read -r line; do
    case $line in *serves*) ;; *) continue ;; esac
    kill -STOP $pid
    cat /proc/$pid/smaps_rollup
    kill -CONT $pid
    kill -TERM $pid
done <{fifo}
wait $pid
"""
        self._hold_memory(self.target.check(script, timeout=20), f"{what}, ready", private, pss)

    def _idle(self, agent: RunningAgent) -> str:
        """Waits until all the agent's threads have slept for three seconds: no processor's time, no wake-up. That is longer
        than it waits before it releases the program's pages. Returns its smaps_rollup."""
        script = f"""
sample() {{
    cut -d" " -f1,14,15 /proc/{agent.pid}/task/*/stat
    grep "^voluntary_ctxt_switches" /proc/{agent.pid}/task/*/status
}}
rounds=0; after=$(sample)
while [ $rounds -lt 20 ]; do
    rounds=$((rounds + 1)); before=$after
    sleep 3
    after=$(sample)
    if [ -n "$after" ] && [ "$before" = "$after" ]; then exec cat /proc/{agent.pid}/smaps_rollup; fi
done
echo "it was never idle for three seconds:"; echo "$before"; echo "$after"; exit 1
"""
        # Seconds of the target's own clock, a minute at most: that nothing happens has no event.
        return self.target.check(script, timeout=90)

    def _tell_memory_at_work(self, agent: RunningAgent, what: str) -> None:
        """Reports its present memory, while the pages of the last calls are mapped; the budget is of an idle agent."""
        pss = self.target.check(f"grep ^Pss: /proc/{agent.pid}/smaps_rollup").split()[1]
        self._told(f"{what}, at once: PSS", f"{int(pss) * 1024 / 1e6:.2f} MB", "")

    def test_memory_when_idle(self) -> None:
        self._hold_memory_when_ready("no settings", 2, 8)
        agent = self.start()
        self._hold_memory(self._idle(agent), "no settings, idle", 2, 8)
        agent.set("system/hostname=pump-7", "network/interfaces/eth0/mtu=1400")
        agent.ask("list")
        agent.ask("devices")
        agent.ask("links")
        self._tell_memory_at_work(agent, "after some calls")
        self._hold_memory(self._idle(agent), "after some calls, idle", 2, 8)

    def test_memory_with_a_thousand_settings(self) -> None:
        agent = self.start()
        for start in range(0, 1000, 100):
            agent.ask("set", *(f"network/interfaces/eth{number}/mtu={1000 + number}"
                               for number in range(start, start + 100)))
        self.assertEqual(agent.status()["settings"], 1000)
        agent.stop()
        # The hold is of an agent with few settings; a thousand of them may cost half a megabyte more.
        self._hold_memory_when_ready("1,000 settings", 2.5, 8.5)
        self._hold_memory(self._idle(self.start()), "1,000 settings, idle", 2.5, 8.5)

    def _require_time(self) -> None:
        if RUN.is_quick:
            self.skipTest("a short run measures no times")

    def test_start_to_ready(self) -> None:
        self._require_time()
        rounds = 10
        agent = RunningAgent(self.target, self.programs(), self.directory)
        agent.make_directories()
        words = " ".join(agent.words)
        # The clock of /proc/uptime has hundredths, so several starts are timed together, their ends apart.
        script = f"""
now() {{ read -r up rest </proc/uptime; echo "${{up%.*}}${{up#*.}}"; }}
sum=0; n=0
while [ $n -lt {rounds} ]; do
    n=$((n + 1))
    begin=$(now)
    {words} 2>"{self.directory}/fifo" &
    pid=$!
    serves=
    while read -r line; do case $line in *serves*) serves=yes; break ;; esac; done <"{self.directory}/fifo"
    [ "$serves" ] || exit
    sum=$((sum + $(now) - begin))
    kill -TERM $pid
    wait $pid
done
echo $sum
"""
        self.target.check(["mkfifo", f"{self.directory}/fifo"])
        # The reader opens the pipe again for each start; the agent's own end is the shell's background job.
        hundredths = int(self.target.check(script, timeout=60))
        self._told("cleatd, exec to READY", f"{hundredths * 10 / rounds:.0f} ms", "50 ms (x86_64)")

    def _timed(self, agent: RunningAgent, command: str, rounds: int) -> float:
        """Milliseconds for one run of a command, with the shell's fork and exec."""
        script = f"""
now() {{ read -r up rest </proc/uptime; echo "${{up%.*}}${{up#*.}}"; }}
begin=$(now); n=0
while [ $n -lt {rounds} ]; do n=$((n + 1)); {command} >/dev/null || exit; done
echo $(($(now) - begin))
"""
        return int(self.target.check(script, environment=agent.environment, timeout=120)) * 10 / rounds

    def test_get_as_a_whole_process(self) -> None:
        self._require_time()
        agent = self.start()
        agent.set("system/hostname=pump-7")
        empty = self._timed(agent, "/bin/true" if self.target.exists("/bin/true") else "/bin/busybox true", 100)
        get = self._timed(agent, f"{agent.programs}/cleat get system/hostname", 100)
        self._told("cleat get, whole process", f"{get:.1f} ms ({empty:.1f} ms is a `true`)", "ahead of uci")
        change = self._timed(agent, f"{agent.programs}/cleat set system/hostname=h$n", 50)
        self._told("cleat set, whole process", f"{change:.1f} ms", "ahead of uci")

    def _activity(self, agent: RunningAgent) -> dict[str, int]:
        """The counts of sleeps and wake-ups of its threads, and of reads and writes."""
        text = self.target.check(f"cat /proc/{agent.pid}/task/*/status; cat /proc/{agent.pid}/io 2>/dev/null || true")
        sums: dict[str, int] = {}
        for name, value in re.findall(r"^(\w*ctxt_switches|syscw|write_bytes|wchar|syscr):\s+(\d+)$", text, re.MULTILINE):
            sums[name] = sums.get(name, 0) + int(value)
        return sums

    def test_idle_does_nothing(self) -> None:
        agent = self.start()
        # No file of the system follows it, so there is no thread that ends ten seconds later.
        agent.set("agent/log/level=info")
        self.target.settle()
        self._idle(agent)
        for _ in range(6):
            number = self.target.get("/sys/kernel/uevent_seqnum")
            links = self.target.check("cat /proc/net/dev | cut -d: -f1")
            before = self._activity(agent)
            # Ten seconds on the target's own clock: that nothing happens has no event.
            self.target.check("sleep 10", timeout=20)
            after = self._activity(agent)
            if (self.target.get("/sys/kernel/uevent_seqnum") == number
                    and self.target.check("cat /proc/net/dev | cut -d: -f1") == links and before == after):
                break
        else:
            if self.target.get("/sys/kernel/uevent_seqnum") != number:
                self.skipTest("the target's own devices never were quiet for ten seconds")
        self.assertEqual(before, after)
        self._told("idle for 10 s: wake-ups and writes", "none", "none")


if __name__ == "__main__":
    unittest.main()
