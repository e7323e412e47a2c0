import CleatViews

/// The two most frequent commands in their simplest form: `get PATH` and `set PATH=VALUE…`.
///
/// They are parsed without the argument parser, which takes longer than the whole call. Options and any other form are
/// handled by the parser, which prints the errors.
enum QuickCommand: Hashable, Sendable {
    case get(String)
    case set([Assignment])

    /// Parses a simple command; nil for any other form.
    init?(_ arguments: some Collection<String>) {
        guard let verb = arguments.first else { return nil }
        let operands = arguments.dropFirst()
        guard !operands.isEmpty, !operands.contains(where: { $0.utf8.first == UInt8(ascii: "-") }) else { return nil }
        switch verb {
        case "get":
            guard operands.count == 1, let path = operands.first else { return nil }
            self = .get(path)
        case "set":
            let assignments = operands.compactMap(Assignment.init)
            // Changes of network settings may end this connection, and have options for that: the parser handles them.
            guard assignments.count == operands.count, !assignments.contains(where: \.path.isOfNetwork) else {
                return nil
            }
            self = .set(assignments)
        default: return nil
        }
    }

    /// Runs the command.
    func run(in context: CommandContext) throws(CommandError) {
        switch self {
        case .get(let path): try GetSetting.run(path, in: context)
        case .set(let assignments): try SetSettings(assignments: assignments).run(in: context)
        }
    }
}
