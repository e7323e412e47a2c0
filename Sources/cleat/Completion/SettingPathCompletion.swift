import CleatAPI

/// Completes the paths of settings by asking the service; offers nothing if the service does not answer.
enum SettingPathCompletion {
    /// Returns the matching paths.
    @Sendable static func paths(words: [String], index: Int, prefix: String) -> [String] {
        known(words: words).filter { $0.hasPrefix(prefix) }
    }

    /// Returns the matching paths, each followed by an equals sign for the value.
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
