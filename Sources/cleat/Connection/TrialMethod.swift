import CleatAPI

/// A method that makes a change of settings, which can be on trial.
protocol TrialMethod: APIMethod where Parameters: TrialParameters, Reply == SettingsInterface.Set.Reply {}

/// What such a method takes.
protocol TrialParameters {
    /// The id of the change.
    var id: String? { get set }
    /// How long it is on trial, in milliseconds.
    var confirm: Int64? { get }
    /// What confirms it by itself.
    var until: [String]? { get }
    /// Whether it is only planned.
    var plan: Bool? { get set }
    /// Whether it is made and undone at once.
    var rehearse: Bool? { get }
}

extension TrialParameters {
    /// Whether the change waits for a confirmation.
    var isTrial: Bool { (confirm != nil || until != nil) && plan != true && rehearse != true }
}

extension SettingsInterface.Set: TrialMethod {}
extension SettingsInterface.Set.Parameters: TrialParameters {}
extension SettingsInterface.Rollback: TrialMethod {}
extension SettingsInterface.Rollback.Parameters: TrialParameters {}
extension SettingsInterface.Reset: TrialMethod {}
extension SettingsInterface.Reset.Parameters: TrialParameters {}
