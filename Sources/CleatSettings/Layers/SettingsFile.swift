package import CleatJSON

/// A file of values for settings: the vendor's defaults or factory data.
package struct SettingsFile: Sendable, Hashable {
    /// Where it lies.
    package var file: String
    /// The tree of its values, an object.
    package var values: JSONValue

    /// Takes a file that was read.
    package init(file: String, values: JSONValue) {
        self.file = file
        self.values = values
    }
}
