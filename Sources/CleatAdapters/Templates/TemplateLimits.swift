/// Bounds what a template may ask for.
package enum TemplateLimits {
    /// The most bytes of a template.
    package static let templateBytes = 256 << 10
    /// The most tags of a template.
    package static let tags = 8_192
    /// The most sections that may stand in one another.
    package static let depth = 16
    /// The most bytes of a tag.
    package static let tagBytes = 2_048
    /// The most problems of one template that are told.
    package static let problems = 32
    /// The most bytes of the text that a template makes.
    package static let outputBytes = 1 << 20
    /// The most pieces that are visited while a text is made, each turn of a loop counted.
    package static let steps = 1_000_000
    /// The work that finding out where values stand may take, in bytes looked at.
    static let scanSteps = 4 << 20
}
