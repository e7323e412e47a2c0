package import CleatJSON
package import CleatSettings

/// Says why a template makes no text of the present settings.
package struct TemplateProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The setting whose value is at fault, of an element of a list the list; nil where no one setting is.
    package let path: SettingPath?
    /// Where in the template the tag stands, from 1.
    package let position: JSONPosition
    /// A sentence that goes on after the path, with the remedy; it does not repeat the value.
    package let reason: String

    /// The path, the reason and the place.
    package var description: String {
        "\(path.map { "\($0) " } ?? "")\(reason) (template, \(position))"
    }
}
