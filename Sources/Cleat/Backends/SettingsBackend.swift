import CleatAPI
import CleatSettings

/// Where the settings come from: a service, or the program's own memory.
protocol SettingsBackend: Sendable {
    /// Reads one path.
    func get(_ path: SettingPath) async throws(CleatError) -> SettingsInterface.Get.Reply
    /// Reads all settings below a path, nil for all of them, as they are at one generation.
    func view(under prefix: SettingPath?) async throws(CleatError) -> (SettingsView, GenerationRef)
    /// Says what the paths below a path may hold.
    func describe(_ path: SettingPath) async throws(CleatError) -> [SettingDescription]
    /// Commits changes; they have an id, so that it may be tried twice.
    func set(_ parameters: SettingsInterface.Set.Parameters) async throws(CleatError) -> SettingsInterface.Set.Reply
    /// Gives settings back to factory data and defaults; there is an id, so that it may be tried twice.
    func reset(_ parameters: SettingsInterface.Reset.Parameters) async throws(CleatError) -> SettingsInterface.Set.Reply
    /// Begins to tell a follower of changes at a path.
    func add(_ id: UInt64, _ path: SettingPath, _ follower: Follower)
    /// Tells a follower no longer.
    func remove(_ id: UInt64)
    /// Has followers told again once the service can be reached again.
    func retell()
    /// Waits a little, so that another client can finish what it is at.
    func pause(attempt: Int) async throws(CleatError)
    /// Whether secrets are told.
    var revealsSecrets: Bool { get }
}
