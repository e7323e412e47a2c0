package import CleatJSON
package import CleatSettings

/// The reason why a template cannot be rendered with the present settings.
package struct TemplateProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The setting with the invalid value, or the list for an element of one; nil if there is no single setting.
    package let path: SettingPath?
    /// The position of the tag in the template, from 1.
    package let position: JSONPosition
    /// A sentence that continues after the path, with the remedy; it does not repeat the value.
    package let reason: String

    /// The path, the reason and the position.
    package var description: String {
        "\(path.map { "\($0) " } ?? "")\(reason) (template, \(position))"
    }
}
