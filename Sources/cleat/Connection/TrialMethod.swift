import CleatAPI

/// A method that changes settings and can put the change on trial.
protocol TrialMethod: APIMethod where Parameters: TrialParameters, Reply == SettingsInterface.Set.Reply {}

/// The parameters of such a method.
protocol TrialParameters {
    /// The id of the change.
    var id: String? { get set }
    /// The confirm window, in milliseconds.
    var confirm: Int64? { get set }
    /// The probes that confirm the change by themselves.
    var until: [String]? { get }
    /// True if the change is only planned.
    var plan: Bool? { get set }
    /// True if the change is made and reverted at once.
    var rehearse: Bool? { get }
    /// True if the change is only checked.
    var check: Bool? { get }
    /// Returns true if the change may end the caller's connection.
    ///
    /// - Parameter inSession: true if the caller has an SSH connection to the board.
    /// - Returns: true if a plan has to be requested before the change.
    func mayEndConnection(inSession: Bool) -> Bool
    /// True if the change lasts only until the next boot, and so cannot be on trial.
    var isVolatile: Bool { get }
}

extension TrialParameters {
    /// True if the change waits for a confirmation.
    var isTrial: Bool { (confirm != nil || until != nil) && isMade }

    /// True if the change is made, and not only checked, planned or rehearsed.
    var isMade: Bool { check != true && plan != true && rehearse != true }

    var isVolatile: Bool { false }
}

extension String {
    /// The groups of built-in settings that no connection depends on.
    private static let harmless = ["agent", "documents", "kernel", "leds", "system", "time"]

    /// Returns true if a change of a path may end the caller's connection: one of the network, or in an SSH session one
    /// that a schema file defines.
    func mayEndConnection(inSession: Bool) -> Bool {
        let group = utf8.prefix { $0 != UInt8(ascii: "/") }
        if group.elementsEqual("network".utf8) { return true }
        return inSession && !Self.harmless.contains { group.elementsEqual($0.utf8) }
    }
}

extension SettingsInterface.Set: TrialMethod {}
extension SettingsInterface.Set.Parameters: TrialParameters {
    func mayEndConnection(inSession: Bool) -> Bool {
        changes.contains { $0.path.mayEndConnection(inSession: inSession) }
    }
    var isVolatile: Bool { volatile == true }
}
extension SettingsInterface.Rollback: TrialMethod {}
extension SettingsInterface.Rollback.Parameters: TrialParameters {
    func mayEndConnection(inSession: Bool) -> Bool { true }
}
extension SettingsInterface.Reset: TrialMethod {}
extension SettingsInterface.Reset.Parameters: TrialParameters {
    var check: Bool? { nil }
    func mayEndConnection(inSession: Bool) -> Bool { prefix?.mayEndConnection(inSession: inSession) ?? true }
}
