import CleatAPI

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
