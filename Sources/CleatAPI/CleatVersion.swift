/// The version that both programs report.
package enum CleatVersion {
    /// The version's text.
    package static let text = "0.1.0"
}
