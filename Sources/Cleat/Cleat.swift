import CleatAPI
import CleatJSON
public import CleatSettings

/// The settings of one board, for a Swift program that runs on it.
///
/// Keys are declared once, with their Swift type and their default; the compiler checks their use from there on:
/// ```swift
/// import Cleat
///
/// extension SettingKey<Int> { static var brightness: Self { .init("lamp/brightness", default: 80) } }
/// extension SettingKey<[String]> { static var scenes: Self { .init("lamp/scenes", default: []) } }
/// extension SettingKey<String?> { static var label: Self { .init("lamp/label") } }  // nil if unset
///
/// let cleat = try await Cleat.connect(checking: .brightness, .scenes, .label)
/// print(try await cleat[.brightness])
/// try await cleat.edit { settings in
///     settings[.brightness] += 10
///     settings[.scenes].append("evening")
///     settings[.label] ?= "desk"
/// }
/// for try await brightness in cleat.changes(of: .brightness) { show(brightness) }
/// ```
/// One client serves all tasks of a program. All clients of the process share one thread, which ends with the last of
/// them. A client reconnects by itself after a restart of the service.
public final class Cleat: Sendable {
    /// The maximum number of attempts of ``edit(comment:_:)`` while other clients change the settings.
    public static let editAttempts = 64

    let backend: any CleatBackend

    /// Creates a client of a backend.
    package init(_ backend: any CleatBackend) {
        self.backend = backend
    }

    /// Connects to the service on this board, and checks keys against its schema.
    ///
    /// - Parameters:
    ///   - socket: the path of the service's socket; nil for `CLEAT_SOCKET`, or else the same search as `cleat`: the
    ///     system's socket, then the user's own.
    ///   - waitsForService: true to wait for a service that is not running yet, at most for `timeout`.
    ///   - timeout: the time limit of one call, a restart of the service included.
    ///   - revealingSecrets: true to read secrets, which is allowed only to root and the service's own user.
    ///   - keys: the keys that the program uses; see ``check(_:)-(SettingKeys)``.
    /// - Returns: the client.
    /// - Throws: ``CleatError``: `unreachable`, `timedOut`, `denied`, or `mismatch` with every mismatch of the keys.
    public static func connect<each Value>(
        to socket: String? = nil, waitsForService: Bool = false, timeout: Duration = .seconds(10),
        revealingSecrets: Bool = false, checking keys: repeat SettingKey<each Value>
    ) async throws(CleatError) -> Cleat {
        let backend = try RemoteBackend(
            socket: ServiceSocket.path(option: socket), timeout: timeout, revealsSecrets: revealingSecrets)
        try await backend.greet(isPatient: waitsForService)
        let cleat = Cleat(backend)
        try await cleat.check(repeat each keys)
        return cleat
    }
}

extension Cleat {
    /// Reads one setting: the value in force, or else the key's default.
    ///
    /// - Throws: ``CleatError``: `mismatch` if the value cannot be read as the key's type, `denied` for a secret that
    ///   the program is not allowed to read.
    public subscript<Value>(key: SettingKey<Value>) -> Value {
        get async throws(CleatError) { try await backend.read(key).value }
    }

    /// Returns true if a layer above the schema's defaults has a value at the path.
    public func isSet<Value>(_ key: SettingKey<Value>) async throws(CleatError) -> Bool {
        try await backend.get(key.path).setting.origin != .schemaDefault
    }

    /// Reads all settings of one generation, so that the values are consistent with each other.
    public func settings() async throws(CleatError) -> SettingsView {
        try await backend.view(under: nil).0
    }
}

extension Cleat {
    /// Checks keys against the board's schema: it must know their paths, accept their defaults, and hold no value that
    /// cannot be read as their types.
    ///
    /// Call this once at startup. A mismatch means a wrong path, or a schema file that is missing or of another
    /// version.
    /// ```swift
    /// try await cleat.check(.brightness, .scenes, .label)
    /// ```
    /// - Throws: ``CleatError`` with the code `mismatch` and every mismatch of every key.
    public func check<each Value>(_ keys: repeat SettingKey<each Value>) async throws(CleatError) {
        try await check(SettingKeys(repeat each keys))
    }

    /// Checks the keys of a program against the board's schema, as `check` with single keys does.
    public func check(_ keys: SettingKeys) async throws(CleatError) {
        var problems: [CleatError.Problem] = []
        for check in keys.checks {
            do {
                let descriptions = try await backend.describe(check.path).descriptions
                problems += check.problems(descriptions, revealsSecrets: backend.revealsSecrets)
            } catch {
                guard error.code == .refused, !error.problems.isEmpty else { throw error }
                problems += error.problems
            }
        }
        guard !problems.isEmpty else { return }
        throw CleatError(
            .mismatch,
            problems.count == 1
                ? "a key of this program does not fit the board's schema"
                : "\(problems.count) keys of this program, or parts of them, do not fit the board's schema",
            remedy: "correct the keys, or install the program's schema file in schema.d", problems: problems)
    }
}

extension Cleat {
    /// Follows one setting: its present value, and then each new one.
    ///
    /// ```swift
    /// for try await brightness in cleat.changes(of: .brightness) { lamp.set(brightness) }
    /// ```
    public func changes<Value>(of key: SettingKey<Value>) -> SettingChanges<Value> {
        SettingChanges(backend: backend, key: key)
    }
}

extension Cleat {
    /// The files of the board, in areas of the service.
    ///
    /// ```swift
    /// let documents = try await cleat.files.area("documents")
    /// try await documents.write(photo, to: "photos/1.jpg")
    /// for try await arrival in try await cleat.files.area("inbox").arrivals(in: FilesPath.root) { print(arrival) }
    /// ```
    public var files: BoardFiles { BoardFiles(backend: backend) }
}

extension SettingsBackend {
    /// Reads one setting, both as JSON and as the key's type.
    func read<Value>(_ key: SettingKey<Value>) async throws(CleatError) -> (json: JSONValue?, value: Value) {
        let setting = try await get(key.path).setting
        if setting.secret == true, setting.complete == nil, !revealsSecrets { throw CleatError.secret(key.path.text) }
        guard let json = setting.complete, !(key.isOptional && setting.origin == .schemaDefault) else {
            return (nil, key.defaultValue)
        }
        do {
            return (json, try json.decode(setting: Value.self))
        } catch {
            // The error quotes the value, which must not happen with a secret.
            let reason = setting.secret == true ? "" : ": \(error)"
            throw CleatError(
                .mismatch, "the value of \(key.path) cannot be read as \(Value.self)\(reason)",
                remedy: "check the key against the board's schema: `cleat describe \(key.path)`")
        }
    }
}
