package import CleatJSON

/// A file of values for settings: the vendor's defaults or factory data.
package struct SettingsFile: Sendable, Hashable {
    /// The path of the file.
    package var file: String
    /// The tree of its values, an object.
    package var values: JSONValue

    /// Makes a file from values that were read.
    package init(file: String, values: JSONValue) {
        self.file = file
        self.values = values
    }
}
