public import Cleat
import CleatAdapters
import CleatIO
import CleatJSON
import CleatSettings
import Synchronization
import SystemPackage

/// An adapter of an embedded store: a part of the program that follows settings of the store.
///
/// ```swift
/// let store = try await EmbeddedStore.open(
///     at: "/var/lib/camera", declaring: .exposure, adapters: [StoreAdapter("camera", follows: ["camera"], Camera())])
/// ```
public struct StoreAdapter: Sendable {
    let name: String
    let prefixes: [String]
    let timeLimit: Duration
    let adapter: any SettingsAdapter

    /// Creates an adapter.
    ///
    /// - Parameters:
    ///   - name: the name, unique in the store, which stays the same for as long as the store exists.
    ///   - prefixes: the paths of the settings that the adapter follows, with all below them.
    ///   - timeLimit: the time limit of one call; a call that takes longer makes the change revert, and its task is
    ///     cancelled.
    ///   - adapter: the functions of the adapter.
    public init(
        _ name: String, follows prefixes: [String], timeLimit: Duration = .seconds(10), _ adapter: any SettingsAdapter
    ) {
        self.name = name
        self.prefixes = prefixes
        self.timeLimit = timeLimit
        self.adapter = adapter
    }

    /// Returns the adapter for the engine.
    ///
    /// - Throws: ``/Cleat/CleatError`` with the code `refused` for an invalid path.
    func program() throws(CleatError) -> ProgramAdapter {
        var paths: [SettingPath] = []
        for prefix in prefixes {
            do { paths.append(try SettingPath(prefix)) } catch {
                throw CleatError(.refused, "the adapter \(name) follows “\(prefix)”, which is not a path: \(error)")
            }
        }
        guard !name.isEmpty, !paths.isEmpty else {
            throw CleatError(.refused, "the adapter “\(name)” has no name, or follows no settings")
        }
        return ProgramAdapter(
            name, paths, callLimit: timeLimit, program: OwnProgram(adapter: adapter, timeLimit: timeLimit))
    }
}

/// An adapter that is called in this process, from the engine's worker thread.
private final class OwnProgram: AdapterProgram {
    private let adapter: any SettingsAdapter
    private let timeLimit: Duration
    /// The call that has exceeded its time limit, and still runs.
    private let late = Mutex<BlockingOutcome<Void>?>(nil)

    init(adapter: any SettingsAdapter, timeLimit: Duration) {
        self.adapter = adapter
        self.timeLimit = timeLimit
    }

    var isPaused: Bool { late.withLock { $0 }.map { (try? $0.wait(within: .zero)) == nil } ?? false }

    func check(_ settings: JSONObject) throws(ProgramError) -> [ProgramProblem] {
        try call("check") { adapter in
            do {
                try await adapter.check(try SettingsView(values: settings))
                return []
            } catch let refusal as AdapterRefusal {
                return [ProgramProblem(path: refusal.path, reason: ProgramLimits.short(refusal.reason))]
            }
        }
    }

    func capture() throws(ProgramError) -> [UInt8] {
        try ProgramLimits.check(state: try call("capture") { try await $0.capture() })
    }

    func apply(_ settings: JSONObject) throws(ProgramError) {
        try call("apply") { try await $0.apply(try SettingsView(values: settings)) }
    }

    func restore(_ state: [UInt8]) throws(ProgramError) { try call("restore") { try await $0.restore(state) } }

    func fingerprint(comparing settings: JSONObject?) throws(ProgramError) -> ProgramFingerprint {
        let (text, holds) = try call("fingerprint") { adapter -> (String, Bool?) in
            let text = try await adapter.fingerprint()
            guard let settings else { return (text, nil) }
            return (text, try await adapter.holds(try SettingsView(values: settings)))
        }
        return ProgramFingerprint(try ProgramLimits.check(fingerprint: text), holds: holds)
    }

    private func call<Value: Sendable>(
        _ name: String, _ body: @escaping @Sendable (any SettingsAdapter) async throws -> Value
    ) throws(ProgramError) -> Value {
        let outcome: Result<Value, any Error>?
        do throws(Errno) {
            try finishLate()
            let (waiting, ended) = (try BlockingOutcome<Value>(), try BlockingOutcome<Void>())
            // The functions of the program may block, which the loop of the engine must not.
            let task = Task.detached { [adapter] in
                do {
                    waiting.set(.success(try await body(adapter)))
                } catch {
                    waiting.set(.failure(error))
                }
                ended.set(.success(()))
            }
            outcome = try waiting.wait(within: timeLimit)
            if outcome == nil {
                task.cancel()
                late.withLock { $0 = ended }
            }
        } catch {
            throw ProgramError(
                error == .timedOut
                    ? "an earlier call still runs; see what it waits for"
                    : "its function \(name) could not be called (\(error)); free descriptors and try again")
        }
        switch outcome {
        case .success(let value): return value
        case .failure(let error): throw ProgramError(ProgramLimits.short("\(error)"))
        case nil: throw ProgramError("its function \(name) took longer than \(timeLimit); see what it waits for")
        }
    }

    /// Waits for the end of a late call, whose effect would otherwise come after that of the next one.
    private func finishLate() throws(Errno) {
        guard let ended = late.withLock({ $0 }) else { return }
        guard try ended.wait(within: timeLimit) != nil else { throw .timedOut }
        late.withLock { $0 = nil }
    }
}
