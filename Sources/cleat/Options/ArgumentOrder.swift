import ArgumentParser
import CleatSettings
import CleatViews

/// Accepts global options before the name of the command: `cleat -H board get PATH`.
enum ArgumentOrder {
    private static let withValue: [String] = [
        "-H", "--host", "-P", "--port", "--ssh", "--remote-command", "--socket", "--root", "--output",
    ]

    /// Splits the arguments before the first one that is not a global option; nil if an option lacks its value.
    private static func split(_ arguments: [String]) -> (leading: [String], rest: ArraySlice<String>)? {
        var leading: [String] = []
        var rest = arguments[...]
        while let argument = rest.first {
            if withValue.contains(argument) {
                guard rest.count > 1 else { return nil }
                leading += rest.prefix(2)
                rest = rest.dropFirst(2)
            } else if withValue.contains(where: { isJoined(argument, option: $0) }) {
                leading.append(argument)
                rest = rest.dropFirst()
            } else {
                break
            }
        }
        return (leading, rest)
    }

    /// Moves options from before the command's name to after it.
    static func hoisted(_ arguments: [String], root: any ParsableCommand.Type) -> [String] {
        guard let parts = split(arguments) else { return arguments }
        let leading = parts.leading
        var rest = parts.rest
        guard !leading.isEmpty else { return arguments }
        var commands: [String] = []
        var current = root
        while let word = rest.first,
            let next = current.configuration.subcommands.first(where: { $0._commandName == word })
        {
            commands.append(word)
            rest = rest.dropFirst()
            current = next
        }
        // Without a command's name nothing is moved; the parser prints the error.
        return commands.isEmpty ? arguments : commands + leading + rest
    }

    /// Throws an error for an unknown command, with the name of a similar one.
    static func requireKnownCommand(_ arguments: [String], root: any ParsableCommand.Type) throws(CommandError) {
        var current = root
        var above: [String] = []
        for word in split(arguments)?.rest ?? [] {
            let names = current.configuration.subcommands.map { $0._commandName }
            if names.isEmpty || word.hasPrefix("-") || word == "help" { return }
            guard let next = current.configuration.subcommands.first(where: { $0._commandName == word }) else {
                let near = names.map {
                    ($0, EditDistance.between(Array($0.unicodeScalars), Array(word.unicodeScalars)))
                }
                .filter { $0.1 <= 2 && $0.1 < max($0.0.count, word.count) }.min { $0.1 < $1.1 }?.0
                let command = (["cleat"] + above).joined(separator: " ")
                throw .usage(
                    "\(command) has no command \(word.printable)" + (near.map { "; did you mean \($0)?" } ?? ""),
                    remedy: "see `\(command) --help`")
            }
            above.append(word)
            current = next
        }
    }

    /// Throws an error for a second board: the parser would silently use only the last one.
    static func requireOneHost(_ arguments: [String]) throws(CommandError) {
        let options = arguments.prefix { $0 != "--" }
        let hosts = options.filter { word in
            ["-H", "--host"].contains { word == $0 || isJoined(word, option: $0) }
        }
        guard hosts.count <= 1 else {
            throw .usage("--host names one board, not \(hosts.count)", remedy: "run the command once for each")
        }
    }

    /// Returns true if an option and its value are one word: `--host=board`, `-Hboard`.
    private static func isJoined(_ argument: String, option: String) -> Bool {
        option.hasPrefix("--")
            ? argument.hasPrefix(option + "=") : argument.hasPrefix(option) && argument.utf8.count > option.utf8.count
    }
}
