import ArgumentParser
import CleatSettings

/// Lets the options of every command stand before its name: `cleat -H board get PATH`.
enum ArgumentOrder {
    private static let withValue: [String] = [
        "-H", "--host", "-P", "--port", "--ssh", "--remote-command", "--socket", "--root", "--output",
    ]

    /// Splits arguments at the first one that is no option of every command, or nil where an option lacks its value.
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

    /// Moves options that stand before the command's name behind it.
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
        // Without a command's name there is nothing to move them behind; the parser says what is missing.
        return commands.isEmpty ? arguments : commands + leading + rest
    }

    /// Refuses a word that stands where a command's name stands and is none, with the name that may be meant.
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

    /// Refuses a second board: the parser would take the last one, and leave the others alone without a word.
    static func requireOneHost(_ arguments: [String]) throws(CommandError) {
        let options = arguments.prefix { $0 != "--" }
        let hosts = options.filter { word in
            ["-H", "--host"].contains { word == $0 || isJoined(word, option: $0) }
        }
        guard hosts.count <= 1 else {
            throw .usage("--host names one board, and here are \(hosts.count)", remedy: "run the command once for each")
        }
    }

    /// Tells whether an option and its value are one word: `--host=board`, `-Hboard`.
    private static func isJoined(_ argument: String, option: String) -> Bool {
        option.hasPrefix("--")
            ? argument.hasPrefix(option + "=") : argument.hasPrefix(option) && argument.utf8.count > option.utf8.count
    }
}
