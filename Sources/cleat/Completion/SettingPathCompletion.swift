import CleatAPI

/// Completes the paths of settings by asking the service; says nothing where it does not answer.
enum SettingPathCompletion {
    /// The paths.
    @Sendable static func paths(words: [String], index: Int, prefix: String) -> [String] {
        known(words: words).filter { $0.hasPrefix(prefix) }
    }

    /// The paths, each with the equals sign that a value follows.
    @Sendable static func assignments(words: [String], index: Int, prefix: String) -> [String] {
        known(words: words).map { $0 + "=" }.filter { $0.hasPrefix(prefix) }
    }

    private static func known(words: [String]) -> [String] {
        var paths: [String] = []
        try? CompletionSession.open(words)?.stream(SettingsInterface.List.self, .init(defaults: true)) { page in
            paths += page.settings.map(\.path)
            return true
        }
        return paths
    }
}
