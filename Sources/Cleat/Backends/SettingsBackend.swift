package import CleatAPI
package import CleatSettings

/// The source of the settings: a service, or a store of the program's own.
package protocol SettingsBackend: Sendable {
    /// Reads one path.
    func get(_ path: SettingPath) async throws(CleatError) -> SettingsInterface.Get.Reply
    /// Reads all settings below a path, or all settings for nil, at one generation.
    func view(under prefix: SettingPath?) async throws(CleatError) -> (SettingsView, GenerationRef)
    /// Describes the settings at a path and below it, or all settings for nil, and their groups.
    func describe(_ path: SettingPath?) async throws(CleatError) -> SettingsInterface.Describe.Reply
    /// Commits changes; their id makes a repeated call safe.
    func set(_ parameters: SettingsInterface.Set.Parameters) async throws(CleatError) -> SettingsInterface.Set.Reply
    /// Resets settings to factory data and defaults; the id makes a repeated call safe.
    func reset(_ parameters: SettingsInterface.Reset.Parameters) async throws(CleatError) -> SettingsInterface.Set.Reply
    /// Returns the change on trial, if there is one.
    func pending() async throws(CleatError) -> TransactionsInterface.Pending.Reply
    /// Confirms the change on trial. A change that is not on trial any more is an error with the code `ended`, as for
    /// the functions below.
    func confirm(_ id: String) async throws(CleatError) -> TransactionsInterface.End
    /// Restarts the confirm window of the change on trial, in milliseconds.
    func extend(_ id: String, to window: Int64) async throws(CleatError)
    /// Reverts the change on trial, also if the task is cancelled.
    func abort(_ id: String) async throws(CleatError) -> TransactionsInterface.End
    /// Returns how a change has ended that is not on trial any more, also if the task is cancelled.
    func outcome(of id: String) async throws(CleatError) -> TransactionsInterface.End
    /// Adds an observer, which is notified of changes at a path.
    func add(_ id: UInt64, _ path: SettingPath, _ observer: ChangeObserver)
    /// Removes an observer.
    func remove(_ id: UInt64)
    /// Notifies the observers again once the service can be reached again.
    func notifyAgain()
    /// Waits a short time, so that another client can finish its change.
    func pause(attempt: Int) async throws(CleatError)
    /// True if secrets are revealed.
    var revealsSecrets: Bool { get }
}
