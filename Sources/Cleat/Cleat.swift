import CleatAPI

/// The settings of one board, for a Swift program that runs on it.
///
/// Keys are declared once, with their Swift type and their default; the compiler knows them from there on:
/// ```swift
/// import Cleat
///
/// extension SettingKey<Int> { static var brightness: Self { .init("lamp/brightness", default: 80) } }
/// extension SettingKey<[String]> { static var scenes: Self { .init("lamp/scenes", default: []) } }
/// extension SettingKey<String?> { static var label: Self { .init("lamp/label") } }  // nil where nobody set it
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
/// One client serves all tasks of a program. It waits on one thread of its own, which all clients of the process share
/// and which ends with the last of them, and comes back by itself when the service has been restarted.
public final class Cleat: Sendable {
    /// How often ``edit(comment:_:)`` begins anew where others changed the settings meanwhile.
    public static let editAttempts = 64

    let backend: any SettingsBackend

    init(_ backend: any SettingsBackend) {
        self.backend = backend
    }

    /// Connects to the service on this board, and checks keys against what its schema says.
    ///
    /// - Parameters:
    ///   - socket: the service's socket; nil for what `CLEAT_SOCKET` names, or else for where `cleat` looks for it: that
    ///     of the system, then the user's own.
    ///   - waitsForService: whether a service that is not there yet is waited for, at most for `timeout`.
    ///   - timeout: how long one call may take, a restart of the service included.
    ///   - revealingSecrets: whether secrets are told: only to root and the service's own user.
    ///   - keys: what the program uses; see ``check(_:)``.
    /// - Returns: the client.
    /// - Throws: ``CleatError``: `unreachable`, `timedOut`, `denied`, or `mismatch` with all that is wrong with the keys.
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

    /// Makes settings that live in the program's memory only, for its own tests: they are validated, edited, followed and
    /// conflict with each other as those of a board.
    ///
    /// ```swift
    /// let cleat = try Cleat.inMemory(declaring: .brightness, .scenes, .label)
    /// try await cleat.edit { $0[.brightness] = 10 }
    /// ```
    /// - Parameters:
    ///   - schemas: texts of JSON Schema, as they lie in `schema.d`; they stand beside the settings of every board.
    ///   - keys: what the program uses. Where no schema has a key's path, any value that can be read as the key's type
    ///     is taken there.
    /// - Returns: a client with nothing set.
    /// - Throws: ``CleatError`` with the code `refused` where a schema is wrong, with all that is wrong with it.
    public static func inMemory<each Value>(
        schemas: [String] = [], declaring keys: repeat SettingKey<each Value>
    ) throws(CleatError) -> Cleat {
        var declared: [KeyCheck] = []
        repeat declared.append(KeyCheck(each keys))
        return Cleat(try MemoryBackend(schemas: schemas, declared: declared))
    }
}
