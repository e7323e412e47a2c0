import CleatAPI
import CleatIO
import CleatTestSupport
import SystemPackage
import Testing

@testable import CleatObservers

@Suite("The inbox", .tags(.board))
struct InboxTests {
    @Test("A file is reported when it is closed, not while it is written, with all that a hook needs")
    func written() async throws {
        try await InboxBoard.following { board in
            let writer = try await board.writer(of: "files/inbox/report.txt", first: "half ", rest: "and half")
            #expect(try await board.settled().isEmpty)
            try await writer.finish()
            let events = try await board.settled()
            let event = try #require(events.first)
            #expect(events.count == 1)
            #expect((event.source, event.action, event.subject) == (.file, "arrived", "report.txt"))
            #expect(
                event.properties == [
                    "AREA": "inbox", "PATH": "report.txt", "SIZE": "13", "LINKS": "1",
                    "FILE": board.directory.appending("files/inbox/report.txt"),
                ])
            #expect(!event.restored)
        }
    }

    @Test("Each close after writing is an arrival, also of an empty file and of one that is written again")
    func again() async throws {
        try await InboxBoard.following { board in
            func sizes(after script: String) async throws -> [String?] {
                board.forget()
                try await board.script(script)
                return try await board.settled().map { $0.properties["SIZE"] }
            }
            let steps: [(script: String, sizes: [String])] = [
                (": >files/inbox/file", ["0"]),
                ("echo one >files/inbox/file", ["4"]),
                ("echo two >>files/inbox/file", ["8"]),
                ("echo six >files/inbox/file", ["4"]),
                ("cat files/inbox/file; chmod 600 files/inbox/file", []),
                ("rm files/inbox/file; echo seven >files/inbox/file", ["6"]),
            ]
            for step in steps {
                let told = try await sizes(after: step.script)
                #expect(told == step.sizes, "\(step.script)")
            }
        }
    }

    @Test("A file that is moved, copied or linked in is reported once, although the kernel reports some twice")
    func moved() async throws {
        try await InboxBoard.following { board in
            try await board.script(
                """
                echo one >elsewhere/moved; mv elsewhere/moved files/inbox/moved
                echo two >elsewhere/copied; cp elsewhere/copied files/inbox/copied
                echo three >elsewhere/linked; ln elsewhere/linked files/inbox/linked
                echo four >files/inbox/.cleat-write-1; mv files/inbox/.cleat-write-1 files/inbox/facade
                """)
            let events = try await board.settled()
            #expect(events.map(\.subject) == ["moved", "copied", "linked", "facade"])
            #expect(events.map { $0.properties["LINKS"] } == ["1", "1", "2", "1"])
        }
    }

    @Test("A file that is moved or linked in while it is written is reported at its close, or when it is checked again")
    func movedOpen() async throws {
        var limits = InboxLimits()
        limits.secondScan = .milliseconds(20)
        try await InboxBoard.following(limits: limits) { board in
            let moved = try await board.writer(of: "elsewhere/moved", first: "1", rest: "2345")
            try await board.script("mv elsewhere/moved files/inbox/moved")
            #expect(try await board.settled().isEmpty)
            try await moved.finish()
            let events = try await board.settled()
            #expect(events.map(\.subject) == ["moved"])
            #expect(events.map { $0.properties["SIZE"] } == ["5"])
        }
        limits.secondScan = .seconds(3_600)
        try await InboxBoard.following(limits: limits) { board in
            // Its close is that of the other name, which is not followed.
            let linked = try await board.writer(of: "elsewhere/linked", first: "1", rest: "2345")
            try await board.script("ln elsewhere/linked files/inbox/linked")
            #expect(try await board.settled().isEmpty)
            try await linked.finish()
            #expect(try await board.settled().isEmpty)
            try await board.observer.scanAgain()
            try await board.eventually("the second look was made") { board.subjects.contains("linked") }
        }
    }

    @Test(
        "A file without a name until it is complete is reported by its name",
        .enabled(if: TestMachine.has("python3"), "needs python3, to open a file without a name"))
    func nameless() async throws {
        try await InboxBoard.following { board in
            try await board.script(
                """
                python3 -c 'import os
                fd = os.open("files/inbox", os.O_TMPFILE | os.O_WRONLY, 0o644)
                os.write(fd, b"whole")
                os.link(f"/proc/self/fd/{fd}", "files/inbox/named", src_dir_fd=fd, follow_symlinks=True)
                os.close(fd)'
                """)
            #expect(try await board.settled().map(\.subject) == ["named"])
        }
    }

    @Test("A file that is removed before its turn is not reported; of two names only the remaining one is")
    func gone() async throws {
        try await InboxBoard.following { board in
            try await board.meanwhile {
                try await board.script(
                    """
                    cd files/inbox
                    echo one >gone; rm gone
                    echo two >first; mv first second
                    mkdir -p deep/er; echo three >deep/er/file; rm -r deep
                    """)
            }
            #expect(try await board.settled().map(\.subject) == ["second"])
            board.forget()
            try await board.script("mv files/inbox/second files/inbox/third")
            #expect(try await board.settled().map(\.subject) == ["third"])
        }
    }

    @Test("Links, FIFOs and devices are neither reported nor followed")
    func special() async throws {
        try await InboxBoard.following { board in
            try await board.script(
                """
                echo outside >elsewhere/file
                cd files/inbox
                ln -s ../../elsewhere/file link; ln -s ../../elsewhere directory; mkfifo fifo
                mkdir box; mv link directory fifo box; mv box box2
                echo more >../../elsewhere/file
                """)
            #expect(try await board.settled().isEmpty)
            #expect(try await board.observer.counts.directories == 2)
        }
    }

    @Test("Names that the facade refuses are named and counted, its own are passed over")
    func names() async throws {
        try await InboxBoard.following { board in
            try await board.script(
                """
                cd files/inbox
                echo 1 >"$(printf 'bad\\377name')"; echo 1 >"$(printf 'line\\nbreak')"; echo 1 >"$(printf 'bell\\302\\205')"
                mkdir "$(printf 'dir\\001')"; echo 1 >"$(printf 'dir\\001/file')"
                echo 1 >.cleat-upload-00; mkdir .cleat-dir; echo 1 >.cleat-dir/file
                echo 1 >'$(reboot) ; ä "quoted"'
                """)
            #expect(try await board.settled().map(\.subject) == ["$(reboot) ; ä \"quoted\""])
            let counters = try await board.observer.counts
            #expect(counters.refused == 4 && counters.arrived == board.events.count)
            let said = board.notices.map(\.description).joined(separator: "\n")
            for shown in ["bad\\xffname", "line\\u{a}break", "bell\\u{85}", "dir\\u{1}"] {
                #expect(Array(said.utf8).firstRange(of: Array(shown.utf8)) != nil, "\(shown) in \(said)")
            }
        }
    }

    @Test("A directory that is moved in is checked, one that is moved out is released, one that is renamed is new")
    func directories() async throws {
        try await InboxBoard.following { board in
            try await board.script(
                "mkdir -p elsewhere/a/b; echo 1 >elsewhere/a/one; echo 2 >elsewhere/a/b/two; mv elsewhere/a files/inbox/a"
            )
            #expect(try await board.settled().map(\.subject).sorted() == ["a/b/two", "a/one"])
            #expect(try await board.observer.counts.directories == 3)

            board.forget()
            try await board.script(
                "echo 3 >files/inbox/a/b/three; mv files/inbox/a/b files/inbox/c; echo 4 >files/inbox/c/four")
            let subjects = try await board.settled().map(\.subject)
            #expect(subjects.filter { $0.hasPrefix("c/") }.sorted() == ["c/four", "c/three", "c/two"])
            #expect(Set(subjects).subtracting(["a/b/three"]).count == 3)

            board.forget()
            try await board.script("mv files/inbox/c elsewhere/c; echo 5 >elsewhere/c/five; rm -r files/inbox/a")
            #expect(try await board.settled().isEmpty)
            #expect(try await board.observer.counts.directories == 1)
        }
    }

    @Test("Directories that are made while files are put into them: each file is reported once")
    func racing() async throws {
        try await InboxBoard.following { board in
            let shells = (0..<4).map { shell in
                """
                (for i in 0 1 2 3 4 5 6 7 8 9; do
                    mkdir -p files/inbox/\(shell)/$i/x; echo 1 >files/inbox/\(shell)/$i/f; echo 2 >files/inbox/\(shell)/$i/x/g
                done) &
                """
            }
            try await board.script(shells.joined(separator: "\n") + "\nwait")
            let expected = (0..<4).flatMap { shell in (0..<10).flatMap { ["\(shell)/\($0)/f", "\(shell)/\($0)/x/g"] } }
            #expect(try await board.settled().map(\.subject).sorted() == expected.sorted())
        }
    }

    // MARK: Start

    @Test("Existing files are reported once at each startup, marked so; a file that is being written at its close")
    func start() async throws {
        try await InboxBoard.with { board in
            try await board.script(
                "mkdir -p files/inbox/a/b; echo 1 >files/inbox/one; echo 2 >files/inbox/a/b/two; : >files/inbox/.cleat-upload-1"
            )
            let writer = try await board.writer(of: "files/inbox/a/slow", first: "1", rest: "2")
            for _ in 0..<2 {
                board.forget()
                try await board.start()
                let events = try await board.settled()
                #expect(events.map(\.subject).sorted() == ["a/b/two", "one"])
                #expect(events.allSatisfy { $0.restored && $0.properties["CLEAT_RESYNC"] == nil })
            }
            board.forget()
            try await writer.finish()
            let events = try await board.settled()
            #expect(events.map(\.subject) == ["a/slow"])
            #expect(events.allSatisfy { !$0.restored })
        }
    }

    @Test(
        "A missing inbox is waited for; a removed, moved or replaced one is reported, and followed when it exists again"
    )
    func replaced() async throws {
        try await InboxBoard.with { board in
            try await board.script("rm -r files")
            let observer = try await board.start()
            let path = board.directory.appending("files/inbox")
            #expect(await observer.state == .waiting(path))
            #expect(board.notices.count == 1 && board.notices.first?.isProblem == true)

            func returns(_ script: String, _ wanted: [String]) async throws {
                board.forget()
                try await board.script(script)
                for name in wanted { try await board.eventually("\(name) was told") { board.subjects.contains(name) } }
                #expect(try await board.settled().map(\.subject) == wanted)
                #expect(await observer.state == .watching(directories: 1))
            }
            func goes(_ script: String) async throws {
                try await board.script(script)
                try await board.eventually("it was missed") { await observer.state == .waiting(path) }
            }
            try await returns("mkdir -p files/inbox; echo 1 >files/inbox/one", ["one"])
            try await goes("rm -r files/inbox")
            try await returns("mkdir files/inbox; echo 1 >files/inbox/two; rm -f files/inbox/none", ["two"])
            try await goes("mv files/inbox elsewhere/old; echo 1 >elsewhere/old/lost")
            try await returns(
                "mkdir elsewhere/new; echo 1 >elsewhere/new/three; mv elsewhere/new files/inbox", ["three"])
            try await goes("mv files gone; echo 1 >gone/inbox/lost")
            try await returns("mkdir -p files/inbox; echo 1 >files/inbox/four", ["four"])
            try await goes("rm -r files/inbox; ln -s ../elsewhere files/inbox; echo 1 >elsewhere/lost")
            try await returns("rm files/inbox; mkdir files/inbox; echo 1 >files/inbox/five", ["five"])
            #expect(await observer.counts.directories == 1)
        }
    }
}
