public import Cleat
import CleatAdapters
import CleatIO
import CleatJSON
import CleatSettings
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
private struct OwnProgram: AdapterProgram {
    let adapter: any SettingsAdapter
    let timeLimit: Duration

    func check(_ settings: JSONObject) throws(ProgramError) -> [ProgramProblem] {
        try call("check") { adapter in
            do {
                try await adapter.check(try SettingsView(values: settings))
                return []
            } catch let refusal as AdapterRefusal {
                return [ProgramProblem(path: refusal.path, reason: refusal.reason)]
            }
        }
    }

    func capture() throws(ProgramError) -> [UInt8] { try call("capture") { try await $0.capture() } }

    func apply(_ settings: JSONObject) throws(ProgramError) {
        try call("apply") { try await $0.apply(try SettingsView(values: settings)) }
    }

    func restore(_ state: [UInt8]) throws(ProgramError) { try call("restore") { try await $0.restore(state) } }

    func fingerprint(comparing settings: JSONObject?) throws(ProgramError) -> ProgramFingerprint {
        try call("fingerprint") { adapter in
            let text = try await adapter.fingerprint()
            guard let settings else { return ProgramFingerprint(text) }
            return ProgramFingerprint(text, holds: try await adapter.holds(try SettingsView(values: settings)))
        }
    }

    private func call<Value: Sendable>(
        _ name: String, _ body: @escaping @Sendable (any SettingsAdapter) async throws -> Value
    ) throws(ProgramError) -> Value {
        let outcome: Result<Value, any Error>?
        do throws(Errno) {
            let waiting = try BlockingOutcome<Value>()
            // The functions of the program may block, which the loop of the engine must not.
            let task = Task.detached { [adapter] in
                do {
                    waiting.set(.success(try await body(adapter)))
                } catch {
                    waiting.set(.failure(error))
                }
            }
            outcome = try waiting.wait(within: timeLimit)
            if outcome == nil { task.cancel() }
        } catch {
            throw ProgramError("its function \(name) could not be called (\(error)); free descriptors and try again")
        }
        switch outcome {
        case .success(let value): return value
        case .failure(let error): throw ProgramError("\(error)")
        case nil: throw ProgramError("its function \(name) took longer than \(timeLimit); see what it waits for")
        }
    }
}
