/// The limits of templates.
package enum TemplateLimits {
    /// The maximum number of bytes of a template.
    package static let templateBytes = 256 << 10
    /// The maximum number of tags in a template.
    package static let tags = 8_192
    /// The maximum nesting depth of sections.
    package static let depth = 16
    /// The maximum number of bytes of a tag.
    package static let tagBytes = 2_048
    /// The maximum number of errors that are reported for one template.
    package static let problems = 32
    /// The maximum number of bytes of the rendered text.
    package static let outputBytes = 1 << 20
    /// The maximum number of pieces that are visited during rendering, with each turn of a loop counted.
    package static let steps = 1_000_000
    /// The maximum work to find the contexts of values, in scanned bytes.
    static let scanSteps = 4 << 20
}
