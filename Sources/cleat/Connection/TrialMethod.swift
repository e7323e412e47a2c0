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
    /// True if the change may affect a network interface.
    var mayTouchNetwork: Bool { get }
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
    /// True if a path is that of a network setting, or of all network settings.
    var isOfNetwork: Bool { self == "network" || hasPrefix("network/") }
}

extension SettingsInterface.Set: TrialMethod {}
extension SettingsInterface.Set.Parameters: TrialParameters {
    var mayTouchNetwork: Bool { changes.contains { $0.path.isOfNetwork } }
    var isVolatile: Bool { volatile == true }
}
extension SettingsInterface.Rollback: TrialMethod {}
extension SettingsInterface.Rollback.Parameters: TrialParameters {
    var mayTouchNetwork: Bool { true }
}
extension SettingsInterface.Reset: TrialMethod {}
extension SettingsInterface.Reset.Parameters: TrialParameters {
    var check: Bool? { nil }
    var mayTouchNetwork: Bool { prefix?.isOfNetwork ?? true }
}
