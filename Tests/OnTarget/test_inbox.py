"""Files that arrive in the inbox."""

from __future__ import annotations

import unittest

from on_target import OnTarget


class InboxTests(OnTarget):
    """Files that are written, moved in, and there before, and a hook that takes them."""

    def setUp(self) -> None:
        super().setUp()
        self.inbox = f"{self.directory}/state/files/inbox"

    def test_complete_files_are_reported_once(self) -> None:
        agent = self.start()
        self.target.eventually("it is followed", lambda: agent.observer("inbox") == "inotify, 1 directory")
        with agent.follow("--source", "file") as events:
            # The shell has the file open until its last line.
            self.target.check(
                f"cd {self.inbox}; (echo begun; echo over) >written; echo 1 >../new; mv ../new moved; "
                "mkdir -p a/b; echo deep >a/b/file; ln -s written link; mkfifo fifo; echo x >.cleat-upload-00; echo end >end")
            events.wait("file", "arrived", "end")
            events.wait("file", "arrived", "a/b/file", AREA="inbox", SIZE="5", FILE=f"{self.inbox}/a/b/file")
            subjects = sorted(event["subject"] for event in events.seen)
            self.assertEqual(subjects, ["a/b/file", "end", "moved", "written"])
            self.assertEqual({event["restored"] for event in events.seen}, {False})
        self.assertEqual(agent.status()["counters"]["inbox.arrived"], 4)

    def test_a_hook_takes_a_burst(self) -> None:
        self.write_hook(
            "take", '{ source: "file", action: "arrived", subject: "*.bin" }',
            'mkdir -p "$D/taken" && mv -- "$CLEAT_FILE" "$D/taken/"')
        agent = self.start()
        self.target.check(f"cd {self.inbox}; for i in $(seq 1 40); do echo $i >$i.bin; done")
        hook = agent.wait_for_hook("take", 40)
        self.assertEqual(hook["runs"], 40)
        self.assertEqual(self.target.check(f"ls {self.inbox}; ls {self.directory}/taken | wc -l").strip(), "40")

    def test_existing_files_are_reported_at_each_start(self) -> None:
        agent = self.start()
        self.target.check(f"cd {self.inbox}; mkdir deep; echo 1 >deep/one; echo 2 >two")
        self.target.eventually("both are reported", lambda: agent.status()["counters"]["inbox.arrived"] == 2)
        for end in (agent.kill, agent.stop):
            end()
            agent.start()
            self.target.eventually("both are reported", lambda: agent.status()["counters"]["inbox.arrived"] == 2)
            status = agent.status()
            with agent.follow("--source", "file") as events:
                self.target.check(f"cd {self.inbox}; echo 3 >fence")
                events.wait("file", "arrived", "fence")
                self.assertEqual([event["subject"] for event in events.seen], ["fence"])
                self.target.check(f"rm {self.inbox}/fence")
            self.assertEqual(agent.status()["instance"], status["instance"])

    def test_the_inbox_is_removed_and_made_again(self) -> None:
        agent = self.start()
        self.target.check(f"rm -r {self.inbox}")
        self.target.eventually("it is missed", lambda: str(agent.observer("inbox")).startswith("waiting for "))
        with agent.follow("--source", "file") as events:
            self.target.check(f"mkdir {self.inbox}; echo 1 >{self.inbox}/file")
            events.wait("file", "arrived", "file")
        self.assertEqual(agent.observer("inbox"), "inotify, 1 directory")


if __name__ == "__main__":
    unittest.main()
