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
        // A far board is not asked: a key must not make the shell wait for a network.
        guard !words.contains(where: { $0 == "-H" || $0 == "--host" || $0.hasPrefix("--host=") }) else { return [] }
        Process.endQuietly(afterSeconds: 1)
        var paths: [String] = []
        let socket = ServiceSocket.path(option: value(of: "--socket", in: words))
        try? Session(.local(socket: socket)).stream(SettingsInterface.List.self, .init(defaults: true)) { page in
            paths += page.settings.map(\.path)
            return true
        }
        return paths
    }

    private static func value(of option: String, in words: [String]) -> String? {
        if let index = words.firstIndex(of: option), index + 1 < words.count { return words[index + 1] }
        return words.first { $0.hasPrefix(option + "=") }.map { String($0.dropFirst(option.count + 1)) }
    }
}
