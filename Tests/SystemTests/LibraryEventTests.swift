import Cleat
import CleatIO
import CleatTestSupport
import Testing

@Suite("Events in the library for Swift programs", .serialized)
struct LibraryEventTests {
    @Test("An emitted event reaches other programs and a hook that names its emitter")
    func emitted() async throws {
        try await Board.with { board in
            try board.write(
                hook: "door",
                """
                { match: { source: "app", properties: { EMITTER_UID: "\(ProcessSelf.uid)" } },
                  run: ["/bin/sh", "-c", "echo $CLEAT_ACTION $CLEAT_SUBJECT $BY >\(board.directory.appending("door"))"] }
                """)
            _ = try await board.start()
            let cleat = try await Cleat.connect(to: board.socket, timeout: Board.patience)
            let other = try await Cleat.connect(to: board.socket, timeout: Board.patience)
            var events = try await other.events(from: .app, .setting).makeAsyncIterator()
            try await cleat.set(.hostname, to: "gateway")
            let set = try #require(try await events.next(whose: { $0.source == .setting && $0.action == "set" }))
            #expect(set.subject == "system/hostname" && set.properties["VALUE"] == "gateway")
            try await cleat.emit("opened", subject: "door/front", ["BY": "guest"])
            let event = try #require(try await events.next())
            #expect(event.source == .app && event.subject == "door/front" && event.missed == 0 && event.time != nil)
            #expect(event.properties["EMITTER_UID"] == "\(ProcessSelf.uid)" && event.properties["BY"] == "guest")
            try await board.eventually("the hook has run") {
                (try? board.directory.read("door")) == "opened door/front guest\n"
            }
        }
    }

    @Test("A flood of 10,000 events is limited in its rate, and the service answers all of them")
    func flood() async throws {
        try await Board.with { board in
            let agent = try await board.start()
            let cleat = try await Cleat.connect(to: board.socket, timeout: Board.patience)
            // The calls are sent at once, so the machine's speed decides nothing: 50 a second are admitted after the burst.
            let call = #"{"method":"dev.cleat.Events.Emit","parameters":{"action":"moved","subject":"door"}}"# + "\0"
            let stream = try await agent.connectPlainly()
            defer { stream.close() }
            let writer = board.loop.task {
                for _ in 0..<20 { try await stream.write([UInt8](String(repeating: call, count: 500).utf8)) }
            }
            var (answers, limited) = (0, 0)
            var rest: [UInt8] = []
            var code: CleatError.Code?
            while answers < 10_000 {
                // A program that emits meanwhile learns that its user is limited.
                do throws(CleatError) {
                    if answers > 0, limited > 0, code == nil { try await cleat.emit("counted", subject: "door") }
                } catch {
                    code = error.code
                }
                rest += try await stream.read()
                let replies = rest.split(separator: 0, omittingEmptySubsequences: false)
                for reply in replies.dropLast() {
                    let object = try JSONReader.read(String(decoding: reply, as: UTF8.self)).objectValue
                    if let error = object?["error"] {
                        #expect(error == "dev.cleat.Events.RateLimited")
                        limited += 1
                    }
                    answers += 1
                }
                rest = replies.last.map(Array.init) ?? []
            }
            try await writer.value
            #expect(try await agent.counter("programs.limited") == Int64(limited) + 1)
            #expect(limited > 0 && code == .rateLimited)
        }
    }

    @Test("Links and events continue after the service is killed, with the present state first", .tags(.fault))
    func restarted() async throws {
        try await Board.with { board in
            let space = try await board.makeNamespace(
                "ip link add cleat-a type veth peer name cleat-c\nip link set cleat-c up\n")
            var options = space.options
            options.isRooted = false
            let first = try await board.start(options)
            let cleat = try await Cleat.connect(to: board.socket, timeout: Board.patience)
            var links = cleat.links.makeAsyncIterator()
            var events = try await cleat.events(from: .link).makeAsyncIterator()
            #expect(try await links.next(whose: { $0.contains { $0.name == "cleat-a" && !$0.isUp } }) != nil)
            let present = try #require(try await events.next(whose: { $0.subject == "cleat-a" }))
            #expect(present.action == "present")
            try await space.script("ip address add 192.0.2.5/24 dev cleat-a; ip link set cleat-a up")
            let up = try await links.next(whose: {
                $0.contains { $0.name == "cleat-a" && $0.isUp && $0.addresses.contains("192.0.2.5/24") }
            })
            #expect(up != nil)
            #expect(try await events.next(whose: { $0.subject == "cleat-a" && $0.action == "up" }) != nil)

            try await cleat.emit("counted", subject: "before")
            try await first.stop(.kill)
            try await space.script("ip link delete cleat-a; ip link add cleat-b type veth peer name cleat-d")
            _ = try await board.start(options)
            try await cleat.emit("counted", subject: "after")
            let after = try #require(try await links.next(whose: { $0.contains { $0.name == "cleat-b" } }))
            #expect(!after.contains { $0.name == "cleat-a" })
            #expect(try await events.next(whose: { $0.subject == "cleat-b" && $0.action == "present" }) != nil)
        }
    }

    @Test("The connection follows the kernel: address, default route, carrier, an address in use")
    func connection() async throws {
        try await Board.with { board in
            let space = try await board.makeNamespace("ip link add e0 type veth peer name e1\n")
            var options = space.options
            options.isRooted = false
            _ = try await board.start(options)
            let cleat = try await Cleat.connect(to: board.socket, timeout: Board.patience)
            var states = cleat.connection.makeAsyncIterator()
            #expect(try await states.next() == .disconnected)
            for (commands, expected) in [
                ("ip link set e0 up; ip link set e1 up", .connecting(link: "e0")),
                ("ip address add 192.0.2.5/24 dev e0", .limited(link: "e0", address: "192.0.2.5/24")),
                (
                    "ip route add default via 192.0.2.1",
                    .connected(link: "e0", address: "192.0.2.5/24", gateway: "192.0.2.1")
                ),
                (
                    "ip route replace default via 192.0.2.2",
                    .connected(link: "e0", address: "192.0.2.5/24", gateway: "192.0.2.2")
                ),
                ("ip link set e1 down", .disconnecting(link: "e0")),
                (
                    "ip link set e1 up", .connected(link: "e0", address: "192.0.2.5/24", gateway: "192.0.2.2")
                ),
                ("ip route del default", .limited(link: "e0", address: "192.0.2.5/24")),
                ("ip link set e0 down", .disconnected),
            ] as [(String, NetworkConnection)] {
                try await space.script(commands)
                let state = try await states.next(whose: { $0 == expected })
                #expect(state == expected, "\(commands)")
            }
            // Two links with one address: the kernel finds it by duplicate address detection.
            try await space.script(
                """
                ip address add 2001:db8::7/64 dev e1 nodad
                ip link set e0 up
                ip address add 2001:db8::7/64 dev e0
                """)
            var links = cleat.links.makeAsyncIterator()
            let found = try await links.next(whose: { $0.contains { $0.duplicates == ["2001:db8::7/64"] } })
            #expect(found?.first { !$0.duplicates.isEmpty }?.name == "e0", "\(String(describing: found))")
        }
    }

    @Test("Devices of a subsystem are those of the kernel")
    func devices() async throws {
        try await Board.with { board in
            _ = try await board.start()
            let cleat = try await Cleat.connect(to: board.socket, timeout: Board.patience)
            var devices = cleat.devices(in: "mem").makeAsyncIterator()
            let found = try #require(try await devices.next(whose: { !$0.isEmpty }))
            let null = try #require(found.first { $0.name == "null" })
            #expect(null.devpath == "/devices/virtual/mem/null" && null.node == "/dev/null" && null.subsystem == "mem")
            #expect(Set(found.map(\.name)) == Set(try names(in: "/sys/class/mem")))
        }
    }
}

extension AsyncIteratorProtocol {
    /// Returns the first element that a condition holds for; nil at the end of the sequence.
    mutating func next(
        whose condition: (Element) -> Bool, isolation: isolated (any Actor)? = #isolation
    ) async throws -> Element? {
        while let element = try await next(isolation: isolation) {
            if condition(element) { return element }
        }
        return nil
    }
}
