@_exported public import Cleat
import CleatAgent
import CleatIO
import CleatSettings
import CleatStore
public import Logging
import SystemPackage

/// Settings in a store of the program's own, without the service: a directory with an SQLite database, for one process.
///
/// Reads are synchronous; edits, trials, history and snapshots are those of ``cleat``, with the guarantees of the
/// service: a change is whole or absent, also after a power cut, and durable when its call returns.
/// ```swift
/// import CleatEmbedded
///
/// extension SettingKey<Int> { static var starts: Self { .init("counter/starts", default: 0) } }
///
/// let store = try await EmbeddedStore.open(at: "/var/lib/counter", declaring: .starts)
/// try await store.cleat.update(.starts) { $0 += 1 }
/// print(try store[.starts])
/// try await store.close()
/// ```
/// The program's keys are the schema of the store. The settings of the board, such as `.hostname`, its links, devices
/// and hooks need the service.
public final class EmbeddedStore: Sendable {
    /// The client of the store: it edits and follows the settings, and is the same type as the client of a service.
    public let cleat: Cleat
    /// The repairs of the store when it was opened, in sentences; empty after a normal start, and after a power cut.
    ///
    /// One is that the settings were restored from the second copy, for instance.
    public let notes: [String]
    private let backend: EmbeddedBackend
    @usableFromInline let values: PublishedSettings

    private init(_ backend: EmbeddedBackend, _ values: PublishedSettings, _ notes: [String]) {
        self.backend = backend
        self.values = values
        self.notes = notes
        cleat = Cleat(backend)
    }

    /// Opens the store of a directory, or creates one.
    ///
    /// A change on trial from a former run of the program continues, and refuses others until it ends: ``/Cleat/Cleat/trial()``
    /// returns it. It is reverted if its window is over, or the machine was started again. A stored value that the program's keys do not accept any more stays, and is not in force.
    ///
    /// - Parameters:
    ///   - directory: the path of the store's own directory; it is created if it is missing, as are its
    ///     parents.
    ///   - keys: the keys that the program uses.
    ///   - adapters: the parts of the program that follow settings; their states are brought to the settings at some time
    ///     after this returns.
    ///   - files: the program's files, by the names of their areas, for ``/Cleat/Cleat/files``.
    ///   - log: the log of changes and of problems with the second copy of the settings; nil for none.
    /// - Returns: the open store.
    /// - Throws: ``/Cleat/CleatError``: `refused` with every problem if no schema can be made from the keys; `inUse`;
    ///   `denied`; `failed` with the reason why the directory cannot be used.
    public static func open(
        at directory: String, declaring keys: SettingKeys, adapters: [StoreAdapter] = [],
        files: [String: any Files & FilesWatching] = [:],
        log: Logger? = nil
    ) async throws(CleatError) -> EmbeddedStore {
        let schema = try Self.schema(of: keys)
        let path = try Self.path(directory)
        let values = PublishedSettings(schema: schema)
        let backend = try await EmbeddedBackend.open(
            .directory(path), schema: schema, adapters: adapters, files: files, log: log, values)
        return EmbeddedStore(backend, values, backend.notes)
    }

    /// Opens the store of a directory, or creates one; see ``open(at:declaring:adapters:files:log:)-(_,SettingKeys,_,_,_)``.
    public static func open<each Value>(
        at directory: String, declaring keys: repeat SettingKey<each Value>, adapters: [StoreAdapter] = [],
        files: [String: any Files & FilesWatching] = [:], log: Logger? = nil
    ) async throws(CleatError) -> EmbeddedStore {
        try await open(
            at: directory, declaring: SettingKeys(repeat each keys), adapters: adapters, files: files, log: log)
    }

    /// Reads one setting without waiting: the value in force, or else the key's default.
    ///
    /// - Throws: ``/Cleat/CleatError``: `refused` for a key that the store was not opened with, `mismatch` if the value
    ///   cannot be read as the key's type.
    @inlinable public subscript<Value>(key: SettingKey<Value>) -> Value {
        get throws(CleatError) { try values.value(of: key) }
    }

    /// All settings at one generation, without waiting.
    public var settings: SettingsView { values.view }

    /// Closes the store; later calls fail, and another process can open it.
    ///
    /// A change on trial continues when the store is opened again. A store that is released without this is closed as
    /// well, at some later time.
    ///
    /// - Throws: ``/Cleat/CleatError`` with the code `failed` if the second copy of the settings could not be written;
    ///   the settings are stored, and the store is closed all the same.
    public func close() async throws(CleatError) { try await backend.close() }

    /// Makes the schema of the store; the settings of the board belong to the service.
    private static func schema(of keys: SettingKeys) throws(CleatError) -> Schema {
        let board = keys.paths.filter { Schema.builtIn.lookup($0) != nil }
        guard board.isEmpty else {
            throw CleatError(
                .refused, "a store of the program's own has no settings of the board",
                remedy: "change them through the service: `Cleat.connect`",
                problems: board.map {
                    .init(path: $0.text, code: "board", reason: "is a setting of the board, which the service applies")
                })
        }
        let text = try keys.schema()
        do {
            return try SchemaText.read(Array(text.utf8), file: "keys")
        } catch {
            throw CleatError(.refused, "no schema can be made from the keys of this program: \(error)")
        }
    }

    private static func path(_ directory: String) throws(CleatError) -> FilePath {
        let path = FilePath(directory)
        guard path.isAbsolute, !directory.utf8.contains(0) else {
            throw CleatError(
                .refused, "“\(directory)” is not the absolute path of a directory",
                remedy: "give a path that begins with /")
        }
        return path
    }
}
