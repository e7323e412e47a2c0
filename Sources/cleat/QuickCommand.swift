import CleatViews

/// A command line in one of the frequent forms: a question or `set PATH=VALUE…`, with the options of every command.
///
/// It is read without the argument parser, which takes longer than the whole call. Any other form, and any error in the
/// arguments, is left to the parser, which prints the errors.
struct QuickCommand: Hashable, Sendable {
    /// The operation of the command.
    enum Action: Hashable, Sendable {
        case ask(ServiceQuestion)
        case set([Assignment])
        case unset([String])
        case snapshot(SnapshotChange)
    }

    let action: Action
    let options: BoardOptions

    /// Reads a command line; nil for any other form.
    init?(_ arguments: some Collection<String>) {
        var options = BoardOptions()
        var taken: Set<String> = []
        // Two lists: a list of pairs would make its type at the start of every program.
        var words: [String] = []
        var places: [Int] = []
        var rest = arguments.enumerated().makeIterator()
        while let (place, argument) = rest.next() {
            guard argument.utf8.first == UInt8(ascii: "-") else {
                words.append(argument)
                places.append(place)
                continue
            }
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            // Short options are joined to their values in other ways.
            let isJoined = parts.count == 2 && argument.hasPrefix("--")
            let name = isJoined ? String(parts[0]) : argument
            guard let value = isJoined ? String(parts[1]) : rest.next()?.element, !value.hasPrefix("-"),
                !isJoined || !value.isEmpty, let option = options.take(name, value), taken.insert(option).inserted
            else { return nil }
        }
        guard let verb = words.first, let action = Self.action(verb, words.dropFirst()) else { return nil }
        // The parser accepts no options between the names of a command.
        if verb == "snapshot", places[1] != places[0] + 1 { return nil }
        // A change that is lost on the way is explained by the parser's command, which knows the board.
        if case .ask = action {} else if options.host != nil { return nil }
        self.action = action
        self.options = options
    }

    private static func action(_ verb: String, _ operands: ArraySlice<String>) -> Action? {
        let (first, count) = (operands.first, operands.count)
        switch (verb, count) {
        case ("set", 1...):
            let assignments = operands.compactMap(Assignment.init)
            // Changes of network settings may end this connection, and have options for that: the parser handles them.
            guard assignments.count == count, !assignments.contains(where: \.path.isOfNetwork) else { return nil }
            return .set(assignments)
        case ("unset", 1...): return operands.contains(where: \.isOfNetwork) ? nil : .unset(Array(operands))
        case ("get", 1): return first.map { .ask(.get(path: $0)) }
        case ("why", 1): return first.map { .ask(.why(path: $0)) }
        case ("describe", 0...1): return .ask(.describe(path: first))
        case ("list", 0...1): return .ask(.list(prefix: first))
        case ("log", 0): return .ask(.log())
        case ("diff", 0...2):
            let generations = operands.compactMap { Int64($0) }
            guard generations.count == count else { return nil }
            return .ask(.diff(from: generations.first, to: generations.dropFirst().first))
        case ("status", 0): return .ask(.status())
        case ("doctor", 0): return .ask(.doctor)
        case ("drift", 0): return .ask(.drift)
        case ("devices", 0): return .ask(.devices())
        case ("links", 0): return .ask(.links)
        case ("power", 0): return .ask(.power())
        case ("location", 0): return .ask(.location)
        case ("snapshot", 1...): return snapshotAction(operands)
        default: return nil
        }
    }

    private static func snapshotAction(_ operands: ArraySlice<String>) -> Action? {
        switch (operands.first, operands.dropFirst().first, operands.count) {
        case ("list", nil, 1): .ask(.snapshots)
        case ("create", let name?, 2): .snapshot(.create(name: name))
        case ("delete", let name?, 2): .snapshot(.delete(name: name))
        default: nil
        }
    }

    /// Runs the command, and returns its exit status.
    func run() -> CommandStatus {
        let console = Console(form: options.output)
        do {
            let context = CommandContext(console: console, destination: try options.destination())
            switch action {
            case .ask(let question): try question.run(in: context)
            case .set(let assignments): try SetSettings(assignments: assignments).run(in: context)
            case .unset(let paths): try SetSettings(removals: paths).run(in: context)
            case .snapshot(let change): try change.run(in: context)
            }
            return .success
        } catch {
            console.report(error)
            return error.status
        }
    }
}
