import CleatHash
import CleatJSON
public import CleatSettings

/// A part of a program with a state of its own that follows settings, in the transactions of the service or of an
/// embedded store.
///
/// The state is captured before a change, and restored if the change is reverted. It is part of snapshots.
/// ```swift
/// struct Camera: SettingsAdapter {
///     func capture() async throws -> [UInt8] { try await sensor.registers() }
///     func apply(_ settings: SettingsView) async throws { try await sensor.set(exposure: settings[.exposure]) }
///     func restore(_ state: [UInt8]) async throws { try await sensor.load(state) }
///     func holds(_ settings: SettingsView) async throws -> Bool? { try await sensor.exposure == settings[.exposure] }
/// }
///
/// try await Camera().serve()
/// ```
/// A file of `adapters.d` names the program, its settings, its user and its time limit. A function that throws, or takes
/// longer than the limit, makes the change revert.
public protocol SettingsAdapter: Sendable {
    /// Throws an ``AdapterRefusal``, or another error, if the settings cannot be applied; the state stays as it is.
    func check(_ settings: SettingsView) async throws
    /// Returns the present state, as bytes from which ``restore(_:)`` brings it back; at most 192 KiB.
    func capture() async throws -> [UInt8]
    /// Brings the state to what the settings say.
    func apply(_ settings: SettingsView) async throws
    /// Restores a captured state; it may be called again after a failure, and by another run of the program.
    func restore(_ state: [UInt8]) async throws
    /// Returns the fingerprint of the present state: two states are the same if their fingerprints are.
    ///
    /// - Returns: any text of 1 to 1,024 bytes.
    func fingerprint() async throws -> String
    /// Returns true if the state is as the settings say; nil if that is not known.
    ///
    /// It is called after ``apply(_:)``: the change is reverted if the answer is false.
    func holds(_ settings: SettingsView) async throws -> Bool?
}

extension SettingsAdapter {
    /// Accepts all settings that their schema accepts.
    public func check(_ settings: SettingsView) async throws {}
    /// Returns the SHA-256 of the captured state.
    public func fingerprint() async throws -> String { SHA256.hexadecimal(of: try await capture()) }
    /// Returns nil.
    public func holds(_ settings: SettingsView) async throws -> Bool? { nil }
}

/// The reason why an adapter cannot apply a setting.
public struct AdapterRefusal: Error, Hashable, Sendable, CustomStringConvertible {
    /// The path of the setting; nil if no single one is the reason.
    public let path: String?
    /// The reason, as the end of a sentence that begins with the path.
    public let reason: String

    /// Creates a refusal of one setting: `AdapterRefusal(.exposure, "is longer than this sensor allows; use at most 10")`.
    public init<Value>(_ key: SettingKey<Value>, _ reason: String) {
        path = key.path.text
        self.reason = reason
    }

    /// Creates a refusal of settings of which no single one is the reason.
    public init(_ reason: String) {
        path = nil
        self.reason = reason
    }

    /// The path and the reason.
    public var description: String { path.map { "\($0) \(reason)" } ?? reason }
}
