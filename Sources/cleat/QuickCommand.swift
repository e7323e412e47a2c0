/// The two commands that run most, in their plainest form: `get PATH` and `set PATH=VALUE…`.
///
/// They are recognised without the argument parser, which costs more than the whole call. Any option, and anything that
/// is not exactly of this form, goes to the parser, which has the messages.
enum QuickCommand: Hashable, Sendable {
    case get(String)
    case set([Assignment])

    /// Recognises a plain command.
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
            // What may end the connection of this command has options that decide about that.
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
