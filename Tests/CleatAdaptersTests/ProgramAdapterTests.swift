import CleatJSON
import CleatSettings
import Synchronization
import SystemPackage
import Testing

@testable import CleatAdapters

/// A program whose state is a text; it fails and lies as a test says.
private final class Program: AdapterProgram {
    struct State {
        var text = "factory"
        var problems: [ProgramProblem] = []
        var failure: String?
        var lies = false
        var holds: Bool?
        var isPaused = false
    }

    let state = Mutex(State())

    private func call<Value: Sendable>(_ body: (inout State) -> Value) throws(ProgramError) -> Value {
        let result = state.withLock { state -> Result<Value, ProgramError> in
            if let failure = state.failure { return .failure(ProgramError(failure)) }
            return .success(body(&state))
        }
        return try result.get()
    }

    var isPaused: Bool { state.withLock { $0.isPaused } }

    func check(_ settings: JSONObject) throws(ProgramError) -> [ProgramProblem] { try call { $0.problems } }
    func capture() throws(ProgramError) -> [UInt8] { try call { Array($0.text.utf8) } }
    func apply(_ settings: JSONObject) throws(ProgramError) {
        try call { if !$0.lies { $0.text = JSONWriter.write(.object(settings)) } }
    }
    func restore(_ captured: [UInt8]) throws(ProgramError) {
        try call { if !$0.lies { $0.text = String(decoding: captured, as: UTF8.self) } }
    }
    func fingerprint(comparing settings: JSONObject?) throws(ProgramError) -> ProgramFingerprint {
        try call { ProgramFingerprint($0.text, holds: settings == nil ? nil : $0.holds) }
    }
}

/// Tests of the adapter of a program, with a program that is played.
@Suite("The adapter of a program") struct ProgramAdapterTests {
    private let program = Program()
    private let adapter: ProgramAdapter

    init() throws {
        adapter = ProgramAdapter(
            "camera", [try SettingPath("camera"), try SettingPath("lens")], callLimit: .seconds(1), program: program)
    }

    private func settings(_ values: KeyValuePairs<String, JSONValue>) throws -> LayeredSettings {
        let schema = try SchemaText.read(
            Array(
                """
                {"type": "object", "properties": {
                  "camera": {"type": "object", "properties": {
                    "exposure": {"type": "integer", "default": 10}, "secret": {"type": "string", "writeOnly": true}}},
                  "lens": {"type": "object", "properties": {"zoom": {"type": "integer"}}},
                  "other": {"type": "integer"}}}
                """.utf8), file: "test.json")
        return LayeredSettings(
            sources: SettingsSources(schema: try Schema.builtIn.merged(with: schema, from: "test.json")),
            committed: SettingsTree(try values.map { (try SettingPath($0.key), $0.value) }), volatile: SettingsTree())
    }

    private func system() throws -> SystemResources {
        try SystemResources(root: nil).hosting(AdapterSet([adapter]).programs)
    }

    private func step(_ before: LayeredSettings, _ after: LayeredSettings) throws -> ResourceChange {
        try #require(AdapterSet([adapter]).change(from: before, to: after).parts.first?.steps.first)
    }

    @Test("nothing is wanted before a setting is set; then the program gets the values with the defaults")
    func desired() throws {
        #expect(adapter.desired(try settings(["other": 1])).wanted.isEmpty)
        let wanted = try #require(adapter.desired(try settings(["lens/zoom": 3, "other": 1])).wanted.first)
        #expect(wanted.resource == .program("camera") && wanted.path.text == "lens/zoom")
        #expect(wanted.state == .text(#"{"camera":{"exposure":10},"lens":{"zoom":3}}"#))
        #expect(AdapterSet([adapter]).managed(try settings([:])).isEmpty)
        #expect(adapter.timeLimit == .seconds(3) && adapter.name == "program:camera")
    }

    @Test("a state is applied, captured and restored, and its memento outlives the process")
    func states() throws {
        let (system, before, after) = (try system(), try settings([:]), try settings(["lens/zoom": 3]))
        let captured = try system.capture(.program("camera"), for: adapter.name)
        #expect(try system.apply(step(before, after), origin: nil) == .written)
        #expect(program.state.withLock { $0.text } == #"{"camera":{"exposure":10},"lens":{"zoom":3}}"#)
        let stored = try Memento(encoded: captured.encoded)
        #expect(stored == captured && stored.resource.text == "program:camera")
        #expect(try !system.capture(.program("camera"), for: adapter.name).isSame(as: stored))
        #expect(try system.restore(stored) == .written)
        #expect(program.state.withLock { $0.text } == "factory")
        #expect(Resource(text: "program:camera") == .program("camera") && Resource(text: "program:") == nil)
    }

    @Test("a program that lies, or fails, is an error of the resource")
    func failures() throws {
        let (system, before, after) = (try system(), try settings([:]), try settings(["camera/exposure": 20]))
        let captured = try system.capture(.program("camera"), for: adapter.name)
        let step = try step(before, after)
        program.state.withLock { ($0.lies, $0.holds) = (true, false) }
        let lie = #expect(throws: ResourceError.self) { try system.apply(step, origin: nil) }
        #expect(lie?.stage == .apply && lie?.reason.contains("not as the settings say") == true)
        program.state.withLock { ($0.lies, $0.holds) = (false, true) }
        #expect(try system.apply(step, origin: nil) == .written)
        program.state.withLock { $0.lies = true }
        let other = #expect(throws: ResourceError.self) { try system.restore(captured) }
        #expect(other?.stage == .restore && other?.reason.contains("not the captured one") == true)
        program.state.withLock { $0.failure = "it is busy" }
        let failed = #expect(throws: ResourceError.self) { try system.fingerprint(of: .program("camera")) }
        #expect(failed?.reason == "it is busy" && failed?.resource == .program("camera"))
    }

    @Test("the problems of a check name settings that the program follows")
    func checks() throws {
        let (system, settings) = (try system(), try settings(["camera/exposure": 20]))
        program.state.withLock {
            $0.problems = [
                .init(path: "lens/zoom", reason: "is too far"), .init(path: "other", reason: "is not its business"),
                .init(path: nil, reason: "does not fit"),
            ]
        }
        #expect(
            adapter.check(settings, adapter.desired(settings), on: system).map { "\($0.path) \($0.reason)" } == [
                "lens/zoom is too far", "camera/exposure is not its business", "camera/exposure does not fit",
            ])
        program.state.withLock { $0.failure = "it is busy" }
        #expect(
            adapter.check(settings, adapter.desired(settings), on: system).first?.reason
                == "cannot be checked by the program camera: it is busy")
    }

    @Test("inspections do not ask a program that has not answered a short time ago; a change does")
    func paused() throws {
        let (system, before, after) = (try system(), try settings([:]), try settings(["camera/exposure": 20]))
        program.state.withLock { $0.isPaused = true }
        let error = #expect(throws: ResourceError.self) { try system.fingerprint(of: .program("camera")) }
        #expect(error?.reason.contains("has not answered within its time limit") == true)
        let step = try step(before, after)
        let state = try #require(step.after)
        #expect(throws: ResourceError.self) { try system.holds(state, .program("camera")) }
        #expect(try system.apply(step, origin: nil) == .written)
    }

    @Test("below a root directory, and without its file, the program is not called")
    func absent() throws {
        let (before, after) = (try settings([:]), try settings(["camera/exposure": 20]))
        let step = try step(before, after)
        let image = try SystemResources(root: "/", isRunning: false).hosting(["camera": program])
        #expect(try image.apply(step, origin: nil) == .skipped(SystemResources.belowRoot))
        #expect(adapter.check(after, adapter.desired(after), on: image).isEmpty)
        let alone = try SystemResources(root: nil)
        #expect(alone.missingRight(to: step)?.contains("no file of adapters.d names it any more") == true)
        #expect(throws: ResourceError.self) { try alone.capture(.program("camera"), for: adapter.name) }
        #expect(program.state.withLock { $0.text } == "factory")
    }
}
