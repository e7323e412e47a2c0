import CLinux
import CleatIO
import CleatTestSupport
import SystemPackage
import Testing

/// Returns the number of mapped bytes of the program's code.
private func mappedProgram() throws -> Int {
    var sum = 0
    var isCode = false
    for line in try contents(of: "/proc/self/smaps").split(separator: "\n") {
        if line.prefix(while: { $0 != " " }).contains("-") {
            isCode = line.contains(" r-xp ") && line.hasSuffix(" \(TestPlaces.runner)")
        } else if isCode, line.hasPrefix("Rss:") {
            sum += Int(line.filter(\.isNumber)) ?? 0
        }
    }
    return sum * 1024
}

@Suite(.tags(.board)) struct ProcessTests {
    @Test(arguments: [
        (0 as Int64, "1970-01-01T00:00:00.000Z"),
        (1, "1970-01-01T00:00:00.001Z"),
        (-1, "1969-12-31T23:59:59.999Z"),
        (951_782_400_000, "2000-02-29T00:00:00.000Z"),
        (1_709_251_199_999, "2024-02-29T23:59:59.999Z"),
        (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
        (-62_167_219_200_000, "0000-01-01T00:00:00.000Z"),
        (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
    ])
    func wallTimes(milliseconds: Int64, text: String) {
        #expect(WallTime(milliseconds: milliseconds).description == text)
        #expect(WallTime(text)?.milliseconds == milliseconds)
    }

    @Test(arguments: [
        ("2024-01-01T00:00:00Z", 1_704_067_200_000 as Int64?),
        ("2024-01-01t01:30:00.5+01:30", 1_704_067_200_500),
        ("2023-12-31T22:00:00.123456-02:00", 1_704_067_200_123),
        ("2024-06-30T23:59:60Z", 1_719_792_000_000),
        ("2024-13-01T00:00:00Z", nil), ("2023-02-29T00:00:00Z", nil), ("2024-01-01T24:00:00Z", nil),
        ("2024-01-01T00:00:00", nil), ("2024-01-01T00:00:00.Z", nil), ("2024-01-01T00:00:00Zx", nil),
        ("2024-01-01", nil), ("", nil), ("-024-01-01T00:00:00Z", nil), ("2024-01-01T00:00:00+0100", nil),
    ])
    func readsWallTimes(text: String, milliseconds: Int64?) {
        #expect(WallTime(text)?.milliseconds == milliseconds)
    }

    @Test(arguments: [11, 12]) func wallTimesGoBothWays(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<2000 {
            let time = WallTime(
                milliseconds: Int64.random(in: -62_167_219_200_000...253_402_300_799_999, using: &random))
            #expect(WallTime(time.description) == time)
        }
        #expect(WallTime(milliseconds: .max).description == "9999-12-31T23:59:59.999Z")
        #expect(WallTime(milliseconds: .min).description == "0000-01-01T00:00:00.000Z")
    }

    @Test func clocksAndBoot() throws {
        let (first, second) = (BootTime.now(), BootTime.now())
        #expect(first <= second)
        #expect(first.nanoseconds > 0)
        #expect(BootTime(milliseconds: .max).nanoseconds == .max)
        #expect(BootID.current().text.utf8.count == 36)
        #expect(BootID.current() == BootID.current())
        #expect(WallTime.now() > WallTime(milliseconds: 0))
        _ = WallTime.clockSynchronised
    }

    /// In a process of its own, in which nothing else touches the program meanwhile.
    @Test func theProgramsPagesGoAndComeBack() async {
        await #expect(processExitsWith: .success) {
            try await endingWithIssues {
                let before = try mappedProgram()
                #expect(before > 0)
                let looked = try ProcessMemory.releaseProgram()
                let after = try mappedProgram()
                #expect(looked > 0)
                #expect(after < before, "\(before) bytes before, \(after) after")
                // A released page is mapped again when it is used, changed data included.
                #expect(try #require(ProcessMemory.current()).proportionalBytes > 0)
                for _ in 0..<3 { try ProcessMemory.releaseProgram() }
                let loop = try EventLoop()
                #expect(try loop.block { 7 } == 7)
            }
        }
    }

    @Test func usersAndGroups() throws {
        let directory = try TemporaryDirectory()
        try directory.write(
            """
            # comment:x:1:1::/:/bin/sh
            root:x:0:0:root:/root:/bin/sh
            +nis:x:5:5::/:/bin/sh
            broken:x:abc:1::/:/bin/sh
            short:x:1
            ada:x:1000:1001:Ada,,,:/home/ada:/bin/sh
            """, to: "passwd")
        try directory.write("root:x:0:\ncleat:x:990:ada,bob\nada:x:1001:\nwheel:x:991:ada\n", to: "group")
        let etc = directory.text
        #expect(UserDatabase.name(of: 0, directory: etc) == "root")
        #expect(UserDatabase.name(of: 7, directory: etc) == nil)
        #expect(UserDatabase.uid(of: "ada", directory: etc) == 1000)
        #expect(UserDatabase.uid(of: "broken", directory: etc) == nil)
        #expect(UserDatabase.uid(of: "short", directory: etc) == nil)
        #expect(UserDatabase.uid(of: "+nis", directory: etc) == nil)
        #expect(UserDatabase.user(named: "ada", directory: etc)?.home == "/home/ada")
        #expect(UserDatabase.gid(ofGroup: "cleat", directory: etc) == 990)
        #expect(UserDatabase.groupName(of: 990, directory: etc) == "cleat")
        #expect(UserDatabase.groups(ofUser: "ada", directory: etc) == [1001, 990, 991])
        #expect(UserDatabase.groups(ofUser: "nobody", directory: etc) == [])
        #expect(UserDatabase.uid(of: "root", directory: "/does/not/exist") == nil)
        #expect(UserDatabase.uid(of: "root") == 0)
    }

    @Test func groupsOfNamespaces() throws {
        let directory = try TemporaryDirectory()
        let cases: [(String, UInt32, Bool)] = [
            ("         0          0 4294967295\n", 4_294_967_294, true), ("0 1000 1\n", 0, true),
            ("0 1000 1\n", 1, false),
            ("0 1000 1\n990 100990 2\n", 991, true), ("0 1000 1\n990 100990 2\n", 992, false),
            ("0 1000 1\n990 100990 2\n", 989, false), ("", 0, false), ("0 x 1\n", 0, false),
        ]
        for (map, group, isMapped) in cases {
            try directory.write(map, to: "map")
            #expect(UserDatabase.isMapped(group: group, in: directory.appending("map")) == isMapped, "\(map) \(group)")
        }
        #expect(UserDatabase.isMapped(group: 7, in: "/does/not/exist"))
        #expect(UserDatabase.isMapped(group: ProcessSelf.gid))
    }

    @Test(arguments: [false, true]) func notifies(abstract: Bool) async throws {
        let directory = try TemporaryDirectory()
        let address = abstract ? "@cleat-test-\(ProcessSelf.pid)-notify" : directory.appending("notify")
        let socket = clinux_unix_socket(2, 1)
        #expect(unsafe address.withCString { unsafe clinux_unix_bind(socket, $0, address.utf8.count) } == 0)
        func receive() -> String {
            var bytes = [UInt8](repeating: 0, count: 500)
            let count = unsafe bytes.withUnsafeMutableBytes { unsafe clinux_read(socket, $0.baseAddress, $0.count) }
            return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
        }
        let notify = Notify(socket: address)
        #expect(notify.isActive)
        notify.ready(status: "all\nwell")
        #expect(receive() == "READY=1\nSTATUS=all well")
        notify.status("busy")
        #expect(receive() == "STATUS=busy")
        notify.watchdog()
        #expect(receive() == "WATCHDOG=1")
        notify.reloading()
        #expect(receive().hasPrefix("RELOADING=1\nMONOTONIC_USEC="))
        notify.stopping()
        #expect(receive() == "STOPPING=1")
        try FileDescriptor(rawValue: socket).close()
        // A child of another test may hold the descriptor until it executes.
        #expect(try await eventually { !notify.send("READY=1") })
    }

    @Test func noSocketToNotify() {
        let notify = Notify(socket: nil)
        #expect(!notify.isActive)
        #expect(!notify.send("READY=1"))
        #expect(!Notify(socket: "relative").isActive)
        #expect(!Notify(socket: "/" + String(repeating: "x", count: 200)).send("READY=1"))
    }

    @Test(arguments: [
        (nil, nil, nil as Int64?), ("10000000", nil, 10_000), ("10000000", "42", 10_000), ("10000000", "43", nil),
        ("0", nil, nil), ("-5", nil, nil), ("soon", nil, nil),
    ])
    func watchdog(microseconds: String?, pid: String?, milliseconds: Int64?) {
        let notify = Notify(socket: "@x", watchdogMicroseconds: microseconds, watchdogPID: pid, pid: 42)
        #expect(notify.watchdogInterval?.milliseconds == milliseconds)
    }

    @Test func memoryOfThisProcess() throws {
        let memory = try #require(ProcessMemory.current())
        #expect(memory.privateBytes > 100_000)
        #expect(memory.proportionalBytes >= memory.privateBytes)
        #expect(memory.threads >= 1)
    }

    @Test func signalsAreRead() async {
        await #expect(processExitsWith: .success) {
            try await endingWithIssues {
                try await withLoop { loop async throws in
                    // SIGUSR1 and SIGUSR2.
                    let (first, second) = (Signal(rawValue: 10), Signal(rawValue: 12))
                    SignalMask.block([first, second])
                    let signals = try loop.signals([first, second])
                    var iterator = signals.makeAsyncIterator()
                    // To this thread, since others of the test runner have not blocked them.
                    clinux_signal_raise(second.rawValue)
                    #expect(try await iterator.next() == second)
                    clinux_signal_raise(first.rawValue)
                    #expect(try await iterator.next() == first)
                    let waiting = loop.task {
                        var other = signals.makeAsyncIterator(); return try await other.next()
                    }
                    await loop.yield()
                    waiting.cancel()
                    let result = await waiting.result
                    #expect(throws: CancellationError.self) { try result.get() }
                }
            }
        }
    }

    @Test(.enabled(if: Namespace.isAvailable, "needs root and unshare(1)")) func namespacesAreSeparate() async throws {
        let result = try await withLoop { loop async throws in
            try await Namespace.run(
                "hostname elsewhere; hostname; ls /sys/class/net; echo $$ $WORD", environment: ["WORD": "yes"], on: loop
            )
        }
        #expect(result.isSuccess)
        #expect(result.outputText == "elsewhere\nlo\n1 yes\n")
        #expect(try !contents(of: "/proc/sys/kernel/hostname").hasPrefix("elsewhere"))
    }
}
