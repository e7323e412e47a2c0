import ArgumentParser

/// Lets the options of every command stand before its name: `cleat -H board get PATH`.
enum ArgumentOrder {
    private static let withValue: [String] = [
        "-H", "--host", "-P", "--port", "--ssh", "--remote-command", "--socket", "--root", "--output",
    ]

    /// Moves options that stand before the command's name behind it.
    static func hoisted(_ arguments: [String], root: any ParsableCommand.Type) -> [String] {
        var leading: [String] = []
        var rest = arguments[...]
        while let argument = rest.first {
            if withValue.contains(argument) {
                guard rest.count > 1 else { return arguments }
                leading += rest.prefix(2)
                rest = rest.dropFirst(2)
            } else if withValue.contains(where: { isJoined(argument, option: $0) }) {
                leading.append(argument)
                rest = rest.dropFirst()
            } else {
                break
            }
        }
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
