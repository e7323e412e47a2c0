package import CleatJSON
package import CleatSettings

/// An adapter that can express the present configuration of the system, which others have made, as settings.
package protocol ImportingAdapter: Adapter {
    /// Adds the settings that are equal to the present configuration; it changes nothing.
    ///
    /// - Parameters:
    ///   - found: the settings, and the parts that settings cannot express.
    ///   - settings: the settings in force; what they configure already is not imported.
    ///   - system: the system, which is only read.
    /// - Throws: the reason why a file could not be read.
    func importSettings(
        into found: inout ImportedSettings, _ settings: LayeredSettings, on system: SystemResources
    ) throws(ResourceError)
}

extension String {
    /// The lines of a text with their numbers, counted from 1; they may end as in files of Windows.
    var numberedLines: [(number: Int, line: Substring)] {
        // Swift reads a carriage return and a line feed as one character.
        split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }.enumerated().map {
            ($0.offset + 1, $0.element)
        }
    }
}

/// The settings that are equal to the present configuration of a system.
package struct ImportedSettings: Sendable {
    /// A setting, and where its value was found.
    package struct Setting: Sendable {
        /// The setting.
        package let path: SettingPath
        /// The value.
        package let value: JSONValue
        /// The file, with the line if it is known: `/etc/sysctl.conf:3`; or `the kernel`.
        package let source: String
    }

    /// A part of the configuration that is not imported.
    package struct Skipped: Sendable {
        /// The file, with the line if it is known.
        package let source: String
        /// The reason, as a sentence that continues after the file.
        package let reason: String
    }

    /// The settings.
    package internal(set) var settings: [Setting] = []
    /// The parts that are not imported.
    package internal(set) var skipped: [Skipped] = []

    /// Adds a setting.
    mutating func add(_ path: SettingPath?, _ value: JSONValue, from source: String) {
        if let path { settings.append(Setting(path: path, value: value, source: source)) }
    }

    /// Adds a part that is not imported.
    mutating func skip(_ source: String, _ reason: String) { skipped.append(Skipped(source: source, reason: reason)) }
}
