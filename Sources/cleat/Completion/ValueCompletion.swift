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

/// Completes places on the board by asking the service; offers nothing if the service does not answer.
enum FileTargetCompletion {
    /// The maximum number of places that are offered.
    private static let limit = 256

    /// Returns the areas, or the entries of the directory that is being typed.
    @Sendable static func places(words: [String], index: Int, prefix: String) -> [String] {
        guard let session = CompletionSession.open(words) else { return [] }
        guard let slash = prefix.utf8.lastIndex(of: UInt8(ascii: "/")),
            let directory = try? FileTarget(String(prefix[..<slash]))
        else {
            let reply = try? session.call(FilesInterface.Areas.self, .init())
            return (reply?.areas ?? []).map { $0.name + "/" }.filter { $0.utf8.starts(with: prefix.utf8) }
        }
        let reply = try? session.call(
            FilesInterface.List.self, .init(area: directory.area, path: directory.path, limit: limit))
        return (reply?.entries ?? []).map { entry in
            "\(directory.area)/\(entry.path)\(entry.type == .directory ? "/" : "")"
        }.filter { $0.utf8.starts(with: prefix.utf8) }
    }

    /// Returns local files and places on the board.
    @Sendable static func filesAndPlaces(words: [String], index: Int, prefix: String) -> [String] {
        LocalFiles.paths(startingWith: prefix, limit: limit) + places(words: words, index: index, prefix: prefix)
    }
}

/// Opens the session of a completion: only with a service on this machine, and for one second at most.
enum CompletionSession {
    static func open(_ words: [String]) -> Session? {
        // A remote board is not asked: a key press must not make the shell wait for the network.
        guard !words.contains(where: { $0 == "-H" || $0 == "--host" || $0.hasPrefix("--host=") }) else { return nil }
        // A service is not started for a key press either.
        guard !words.contains(where: { $0 == "--root" || $0.hasPrefix("--root=") }) else { return nil }
        Process.endQuietly(afterSeconds: 1)
        return try? Session(.local(socket: ServiceSocket.path(option: value(of: "--socket", in: words))))
    }

    private static func value(of option: String, in words: [String]) -> String? {
        if let index = words.firstIndex(of: option), index + 1 < words.count { return words[index + 1] }
        return words.first { $0.hasPrefix(option + "=") }.map { String($0.dropFirst(option.count + 1)) }
    }
}
