import CleatEmbedded
import CleatTestSupport
import Synchronization
import Testing

extension SettingKey<Int> {
    fileprivate static var speed: Self { .init("motor/speed", default: 1) }
    fileprivate static var other: Self { .init("other", default: 0) }
}

extension SettingKey<[String: Int]> {
    fileprivate static var curve: Self { .init("motor/curve", default: [:]) }
}

/// The state of a device that a test plays.
private final class Motor: SettingsAdapter {
    struct State {
        var text = "factory"
        /// The function that fails, and the way.
        var fault: (name: String, kind: Kind)?
        var calls: [String] = []
    }

    enum Kind: Sendable { case hang, lie, fail, late }

    struct Failure: Error, CustomStringConvertible {
        let description = "the motor is hot; let it cool down"
    }

    let state = Mutex(State())
    /// Each state that was written.
    let (written, writing) = AsyncStream.makeStream(of: String.self)

    var text: String { state.withLock { $0.text } }
    var calls: [String] { state.withLock { $0.calls } }

    func fail(_ name: String? = nil, _ kind: Kind = .fail) { state.withLock { $0.fault = name.map { ($0, kind) } } }
    func put(_ text: String) {
        state.withLock { $0.text = text }
        writing.yield(text)
    }

    /// Notes a call; returns true if it is to lie.
    private func call(_ name: String) async throws -> Bool {
        let fault = state.withLock { state in
            state.calls.append(name)
            return state.fault?.name == name ? state.fault?.kind : nil
        }
        switch fault {
        case .hang: try await Task.sleep(for: .seconds(600))
        case .fail: throw Failure()
        case .lie: return true
        // It ends after its time limit, and heeds no cancellation.
        case .late: await Task.detached { try? await Task.sleep(for: .seconds(4)) }.value
        case nil: break
        }
        return false
    }

    private static func text(_ settings: SettingsView) -> String {
        "speed \(settings[.speed]) \(settings[.curve].sorted { $0.key < $1.key }.map { "\($0)\($1)" })"
    }

    func check(_ settings: SettingsView) async throws {
        _ = try await call("check")
        if settings[.speed] > 50 { throw AdapterRefusal(.speed, "is too fast; use at most 50") }
    }

    func capture() async throws -> [UInt8] {
        _ = try await call("capture")
        return Array(text.utf8)
    }

    func apply(_ settings: SettingsView) async throws {
        if try await call("apply") { return }
        put(Self.text(settings))
    }

    func restore(_ captured: [UInt8]) async throws {
        if try await call("restore") { return }
        put(String(decoding: captured, as: UTF8.self))
    }

    func fingerprint() async throws -> String {
        _ = try await call("fingerprint")
        return text
    }

    func holds(_ settings: SettingsView) async throws -> Bool? { text == Self.text(settings) }
}

@Suite("adapters of an embedded store", .timeLimit(.minutes(TestMachine.slowness))) struct StoreAdapterTests {
    private let directory: TemporaryDirectory
    private let motor = Motor()

    init() throws { directory = try TemporaryDirectory() }

    private func open(limit: Duration = .seconds(10)) async throws -> EmbeddedStore {
        try await EmbeddedStore.open(
            at: directory.appending("store"), declaring: .speed, .curve, .other,
            adapters: [StoreAdapter("motor", follows: ["motor"], timeLimit: limit, motor)])
    }

    /// Returns the error of a call.
    private static func error(_ body: () async throws -> Void) async -> CleatError? {
        do {
            try await body()
            return nil
        } catch {
            return error as? CleatError
        }
    }

    @Test("a change reaches the state, and unset, a trial that is not kept and a snapshot bring it back", .tags(.board))
    func whole() async throws {
        let store = try await open()
        try await store.cleat.update(.other) { $0 = 1 }
        #expect(motor.calls.isEmpty)
        try await store.cleat.edit {
            $0[.speed] = 20
            $0[.curve] = ["a": 1, "b": 2]
        }
        #expect(motor.text == #"speed 20 ["a1", "b2"]"#)
        let refusal = await Self.error { try await store.cleat.edit { $0[.speed] = 60 } }
        #expect(refusal?.code == .refused && refusal?.problems.first?.path == "motor/speed", "\(refusal as Any)")
        let outcome = try await store.cleat.edit(confirm: .seconds(60)) {
            $0[.speed] = 30
        } whileOnTrial: { [motor] _ in
            #expect(motor.text == #"speed 30 ["a1", "b2"]"#)
        }
        guard case .reverted = outcome else { return #expect(Bool(false), "\(outcome)") }
        #expect(try store[.speed] == 20 && motor.text == #"speed 20 ["a1", "b2"]"#)

        motor.put("tuned by hand")
        try await store.cleat.snapshots.create("tuned")
        motor.put("worn out")
        try await store.cleat.snapshots.restore("tuned", files: true)
        #expect(motor.text == "tuned by hand")
        try await store.cleat.unset(.speed)
        try await store.cleat.unset(.curve)
        #expect(motor.text == "factory")
        try await store.close()
    }

    @Test(
        "a function that fails, lies or hangs makes the change revert",
        arguments: [
            ("apply", Motor.Kind.fail, "the motor is hot; let it cool down"),
            ("apply", .lie, "it reported success, but its state is not as the settings say"),
            ("apply", .hang, "took longer than"), ("capture", .fail, "the motor is hot"),
            ("check", .hang, "took longer than"), ("fingerprint", .fail, "the motor is hot"),
        ])
    fileprivate func faults(_ name: String, _ kind: Motor.Kind, _ reason: String) async throws {
        var store = try await open()
        try await store.cleat.edit { $0[.speed] = 20 }
        let before = motor.text
        if kind == .hang {
            try await store.close()
            store = try await open(limit: .milliseconds(200))
        }
        motor.fail(name, kind)
        let error = await Self.error {
            try await store.cleat.edit {
                $0[.speed] = 30
                $0[.other] = 5
            }
        }
        #expect(error.map { "\($0)".contains(reason) } == true, "\(error as Any)")
        motor.fail()
        if kind == .hang {
            // On a busy machine the restoration may have taken longer than the limit, too; it is retried at the opening.
            try await store.close()
            store = try await open()
        }
        #expect(motor.text == before)
        #expect(try store[.speed] == 20 && store[.other] == 0)
        try await store.cleat.edit { $0[.speed] = 40 }
        #expect(motor.text == "speed 40 []")
        try await store.close()
    }

    @Test("a function that ends after its time limit does not change the state that is restored")
    func late() async throws {
        motor.put("speed 20 []")
        let patient = try await EmbeddedStore.open(
            at: directory.appending("late"), declaring: .speed, .curve,
            adapters: [StoreAdapter("motor", follows: ["motor"], timeLimit: .seconds(3), motor)])
        motor.fail("apply", .late)
        let error = await Self.error { try await patient.cleat.edit { $0[.speed] = 30 } }
        #expect(error.map { "\($0)".contains("took longer than") } == true, "\(error as Any)")
        // The restoration has waited for the end of the late call.
        #expect(motor.text == "speed 20 []")
        try await patient.close()
    }

    @Test("the state of a program that was started again is brought to the settings, and a trial is resumed")
    func restart() async throws {
        var store = try await open()
        try await store.cleat.edit { $0[.speed] = 20 }
        try await store.close()
        motor.put("just started")
        store = try await open()
        for await text in motor.written.dropFirst(2) where text == "speed 20 []" { break }
        try await store.close()
        store = try await open()
        #expect(motor.text == "speed 20 []")
        try await store.close()
    }

    @Test("an adapter without a name, without settings or with an invalid path is refused")
    func invalid() async throws {
        for adapter in [
            StoreAdapter("", follows: ["motor"], motor), StoreAdapter("motor", follows: [], motor),
            StoreAdapter("motor", follows: ["/motor//"], motor),
        ] {
            let error = await Self.error {
                _ = try await EmbeddedStore.open(
                    at: directory.appending("invalid"), declaring: .speed, adapters: [adapter])
            }
            #expect(error?.code == .refused, "\(error as Any)")
        }
    }
}
