/// The version that both programs report.
package enum CleatVersion {
    /// The version as text.
    package static let text = "0.1.0"
}
