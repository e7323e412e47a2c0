package import CleatJSON

extension SnapshotsError {
    private static let prefix = SnapshotsInterface.name + "."

    /// The fully qualified name on the wire.
    package var wireName: String { Self.prefix + kind.rawValue }

    /// The parameters of the error on the wire.
    package var parameters: JSONObject { ["name": .string(name), "message": .string(message)] }

    /// Reads an error from the wire; a field that is missing or of another type counts as empty.
    ///
    /// - Returns: nil if the interface declares no error of that name.
    package init?(name: String, parameters: JSONObject) {
        guard name.utf8.starts(with: Self.prefix.utf8),
            let kind = Kind(rawValue: String(name.dropFirst(Self.prefix.utf8.count)))
        else { return nil }
        self.init(
            kind, parameters["name"]?.stringValue ?? "", message: parameters["message"]?.stringValue ?? "")
    }
}
