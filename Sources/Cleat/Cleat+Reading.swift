import CleatAPI
import CleatJSON
public import CleatSettings

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

extension SettingsBackend {
    /// Reads one setting, both as JSON and as the key's type.
    func read<Value>(_ key: SettingKey<Value>) async throws(CleatError) -> (json: JSONValue?, value: Value) {
        let setting = try await get(key.path).setting
        if setting.secret == true, setting.complete == nil, !revealsSecrets { throw CleatError.secret(key.path.text) }
        guard let json = setting.complete, !(key.isOptional && setting.origin == .schemaDefault) else {
            return (nil, key.defaultValue)
        }
        do {
            return (json, try json.decode(Value.self))
        } catch {
            // The error quotes the value, which must not happen with a secret.
            let reason = setting.secret == true ? "" : ": \(error)"
            throw CleatError(
                .mismatch, "the value of \(key.path) cannot be read as \(Value.self)\(reason)",
                remedy: "check the key against the board's schema: `cleat describe \(key.path)`")
        }
    }
}
