import CleatAPI

/// A method that makes a change of settings, which can be on trial.
protocol TrialMethod: APIMethod where Parameters: TrialParameters, Reply == SettingsInterface.Set.Reply {}

/// What such a method takes.
protocol TrialParameters {
    /// The id of the change.
    var id: String? { get set }
    /// How long it is on trial, in milliseconds.
    var confirm: Int64? { get set }
    /// What confirms it by itself.
    var until: [String]? { get }
    /// Whether it is only planned.
    var plan: Bool? { get set }
    /// Whether it is made and undone at once.
    var rehearse: Bool? { get }
    /// Whether it is only checked.
    var check: Bool? { get }
    /// Whether it may touch a network interface.
    var mayTouchNetwork: Bool { get }
    /// Whether it lasts until the next boot only, and so can be on no trial.
    var isVolatile: Bool { get }
}

extension TrialParameters {
    /// Whether the change waits for a confirmation.
    var isTrial: Bool { (confirm != nil || until != nil) && isMade }

    /// Whether the change is made, and not only looked at.
    var isMade: Bool { check != true && plan != true && rehearse != true }

    var isVolatile: Bool { false }
}

extension String {
    /// Whether a path is that of a network setting, or of all settings.
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
