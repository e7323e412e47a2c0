import Cleat
import CleatIO
import CleatTestSupport
import Testing

@Suite(.timeLimit(.minutes(TestMachine.slowness))) struct HostileServiceTests {
    /// The reaction of a service to a call.
    private struct Behaviour: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let code: CleatError.Code
        let answer: @Sendable (ByteStream) async throws -> String?

        /// The time limit: short only if the test is about its end, since a busy machine takes long to read a MiB.
        var timeout: Duration {
            code == .timedOut || code == .unreachable ? .milliseconds(600) : .seconds(30).onThisMachine
        }
    }

    private static let behaviours: [Behaviour] = [
        Behaviour(testDescription: "no JSON", code: .notUnderstood) { _ in "hello" },
        Behaviour(testDescription: "no reply", code: .notUnderstood) { _ in #"{"method":"a.b"}"# },
        Behaviour(testDescription: "another shape", code: .notUnderstood) { _ in #"{"parameters":{"setting":7}}"# },
        Behaviour(testDescription: "deep JSON", code: .notUnderstood) { _ in
            #"{"parameters":{"setting":"# + String(repeating: "[", count: 100_000)
        },
        Behaviour(testDescription: "a message without end", code: .notUnderstood) { stream in
            while true { try await stream.write([UInt8](repeating: UInt8(ascii: "a"), count: 1 << 16)) }
        },
        Behaviour(testDescription: "silence", code: .timedOut) { stream in
            _ = try await stream.read()
            return nil
        },
        Behaviour(testDescription: "the end", code: .unreachable) { _ in nil },
        Behaviour(testDescription: "a refusal", code: .denied) { _ in
            #"{"error":"dev.cleat.Service.PermissionDenied","parameters":{"message":"you are nobody here"}}"#
        },
        Behaviour(testDescription: "an unknown error", code: .notUnderstood) { _ in #"{"error":"a.b.C"}"# },
        Behaviour(testDescription: "too many callers", code: .unreachable) { _ in
            #"{"error":"dev.cleat.Service.TooManyConnections","parameters":{"limit":1}}"#
        },
    ]

    private static func connect<T: Sendable>(
        _ behaviour: Behaviour, _ body: @escaping @Sendable (Cleat) async throws -> T
    ) async throws -> T {
        try await FakeService.with { method, stream in
            if method.hasSuffix("GetInfo") { return #"{"parameters":{}}"# }
            return try await behaviour.answer(stream)
        } _: { socket in
            try await body(try await connect(to: socket, timeout: behaviour.timeout))
        }
    }

    /// Connects, which no behaviour is about: on a busy machine it may take longer than the call that is.
    private static func connect(to socket: String, timeout: Duration) async throws -> Cleat {
        for _ in 0..<50 {
            do {
                return try await Cleat.connect(to: socket, timeout: timeout)
            } catch {
                guard error.code == .timedOut else { throw error }
            }
        }
        return try await Cleat.connect(to: socket, timeout: timeout)
    }

    @Test(arguments: behaviours) private func callsEndWithATypedError(_ behaviour: Behaviour) async throws {
        let codes = try await Self.connect(behaviour) { cleat in
            var codes: [CleatError.Code] = []
            let calls: [() async throws -> Void] = [
                { _ = try await cleat[.hostname] }, { _ = try await cleat.settings() },
                { try await cleat.edit { $0[.hostname] = "x" } }, { try await cleat.set(.hostname, to: "x") },
                { try await cleat.check(.hostname) }, { try await cleat.resetAll() },
                { try await cleat.emit("opened", subject: "door") },
            ]
            for call in calls {
                // On a busy machine the time limit may end before the first attempt does, which no behaviour is about.
                for attempt in 1...20 {
                    do {
                        try await call()
                    } catch let error as CleatError {
                        if error.code == .timedOut, behaviour.code == .unreachable, attempt < 20 { continue }
                        codes.append(error.code)
                    }
                    break
                }
            }
            return codes
        }
        #expect(codes == Array(repeating: behaviour.code, count: 7))
    }

    /// A service that goes away is waited for; all others end the sequence.
    @Test(arguments: behaviours.filter { $0.code != .unreachable })
    private func followingEndsWithATypedError(_ behaviour: Behaviour) async throws {
        let codes = try await Self.connect(behaviour) { cleat in
            var codes: [CleatError.Code] = []
            let sequences: [() async throws -> Void] = [
                { for try await _ in cleat.changes(of: .hostname) {} },
                { for try await _ in try await cleat.events() {} },
                { for try await _ in cleat.links {} }, { for try await _ in cleat.devices(in: "usb") {} },
            ]
            for follow in sequences {
                do {
                    try await follow()
                } catch let error as CleatError {
                    codes.append(error.code)
                }
            }
            return codes
        }
        #expect(codes == Array(repeating: behaviour.code, count: 4))
    }

    @Test func anEarlierServiceIsNamedWithTheRemedy() async throws {
        let earlier = Behaviour(testDescription: "an earlier service", code: .notUnderstood) { _ in
            #"{"error":"org.varlink.service.MethodNotFound","parameters":{"method":"dev.cleat.Events.Emit"}}"#
        }
        let error = try await Self.connect(earlier) { cleat in
            await #expect(throws: CleatError.self) { try await cleat.emit("opened", subject: "door") }
        }
        #expect(error?.code == .notUnderstood && error?.remedy?.hasPrefix("install cleatd") == true)
        #expect(error?.message == "the service is older than this program: it has no method dev.cleat.Events.Emit")
    }

    @Test func eventsOfALaterSourceAreSkipped() async throws {
        let subjects = try await FakeService.with { method, stream in
            guard method.hasSuffix("Subscribe") else { return #"{"parameters":{}}"# }
            for (number, source) in ["moon", "setting"].enumerated() {
                let event = """
                    {"sequence":\(number + 1),"source":"\(source)","action":"set","subject":"\(source)","properties":{},\
                    "time":"2026-01-02T03:04:05.000Z","boot_id":"b","boot_time":1,"synchronised":true,"restored":false}
                    """
                let reply = #"{"continues":true,"parameters":{"instance":"i","event":"# + event + "}}"
                try await stream.write(Array(reply.utf8) + [0])
            }
            return #"{"continues":true,"parameters":{"instance":"i"}}"#
        } _: { socket in
            let cleat = try await Cleat.connect(to: socket)
            var events = try await cleat.events().makeAsyncIterator()
            return try await events.next()?.subject
        }
        #expect(subjects == "setting")
    }

    /// However fast the pages come: with many of them at once there is always one more to read.
    @Test(arguments: [1, 1000]) func anEndlessListingEndsAtTheTimeLimit(pagesAtOnce: Int) async throws {
        let page = #"{"continues":true,"parameters":{"store":"s","generation":1,"settings":[]}}"#
        let bytes = Array(repeatElement(Array(page.utf8) + [0], count: pagesAtOnce).joined())
        let behaviour = Behaviour(testDescription: "endless", code: .timedOut) { stream in
            while true { try await stream.write(bytes) }
        }
        let error = try await Self.connect(behaviour) { cleat in
            await #expect(throws: CleatError.self) { _ = try await cleat.settings() }
        }
        #expect(error?.code == .timedOut)
    }

    @Test func aMissingServiceIsReportedAtOnceWithTheRemedy() async throws {
        let directory = try TemporaryDirectory()
        for socket in [directory.appending("socket"), "@cleat-nobody-\(UInt64.random(in: 0 ... .max))"] {
            let error = await #expect(throws: CleatError.self) { _ = try await Cleat.connect(to: socket) }
            #expect(error?.code == .unreachable)
            #expect(error?.description.contains("CLEAT_SOCKET") == true)
        }
        let long = await #expect(throws: CleatError.self) {
            _ = try await Cleat.connect(to: "/" + String(repeating: "a", count: 200))
        }
        #expect(long?.code == .notUnderstood || long?.code == .failed || long?.code == .unreachable)
    }

    @Test func aServiceThatComesLateIsWaitedFor() async throws {
        let directory = try TemporaryDirectory()
        let socket = directory.appending("late/socket")
        async let client = Cleat.connect(to: socket, waitsForService: true, timeout: .seconds(30))
        let connected = try await withLoop { loop in
            // It has tried, and waits for the directory.
            #expect(try await loop.eventually { try IdleProcess().watches(directory.text) })
            try directory.makeDirectory("late")
            let listener = try UnixListener(loop: loop, path: socket)
            defer { listener.close() }
            let stream = try await listener.accept()
            _ = try await stream.read()
            try await stream.write(Array(#"{"parameters":{}}"#.utf8) + [0])
            return true
        }
        #expect(connected)
        _ = try await client
    }
}
