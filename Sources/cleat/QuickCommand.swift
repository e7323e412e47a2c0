import CleatViews

/// A command line in one of the plain forms of ``CommandWords``.
///
/// It is read without the argument parser, whose types alone take longer than the whole call. Any other form, and any error
/// in the arguments, is left to the parser, which prints the errors.
struct QuickCommand {
    let request: any ServiceRequest
    let options: BoardOptions

    /// Reads a command line; nil for any other form.
    init?(_ arguments: some Collection<String>) {
        var words = CommandWords(arguments)
        request = Self.request(&words)
        options = words.board
        guard words.isComplete else { return nil }
    }

    private static func request(_ words: inout CommandWords) -> any ServiceRequest {
        switch words.name() {
        case "get":
            return ServiceQuestion.get(
                path: words.requiredOperand(), reveal: words.flag("--reveal"), asksForDefault: words.flag("--default"))
        case "set": return SetSettings(&words, unsets: false)
        case "unset": return SetSettings(&words, unsets: true)
        case "why": return ServiceQuestion.why(path: words.requiredOperand(), reveal: words.flag("--reveal"))
        case "describe": return ServiceQuestion.describe(path: words.operand())
        case "list":
            return ServiceQuestion.list(
                prefix: words.operand(), onlySet: words.flag("--only-set"), reveal: words.flag("--reveal"))
        case "log":
            return ServiceQuestion.log(
                limit: words.positive("--limit", "-n") ?? ServiceQuestion.logLimit, before: words.number("--before"))
        case "show": return ShowRequest(&words)
        case "plan": return PlanRequest(&words)
        case "diff": return ServiceQuestion.diff(from: words.operandNumber(), to: words.operandNumber())
        case "drift": return ServiceQuestion.drift
        case "export": return ExportRequest(&words)
        case "watch": return WatchRequest(&words)
        case "events": return EventsRequest(&words)
        case "devices": return ServiceQuestion.devices(subsystem: words.value("--subsystem"))
        case "links": return ServiceQuestion.links
        case "power": return ServiceQuestion.power(all: words.flag("--all"))
        case "location": return ServiceQuestion.location
        case "status": return ServiceQuestion.status(counters: words.flag("--counters"))
        case "doctor": return ServiceQuestion.doctor
        case "hook": return words.subcommand() == "list" ? ServiceQuestion.hooks : left(&words)
        case "snapshot": return snapshotRequest(&words)
        case "file": return fileRequest(&words)
        default: return left(&words)
        }
    }

    private static func snapshotRequest(_ words: inout CommandWords) -> any ServiceRequest {
        switch words.subcommand() {
        case "list": return ServiceQuestion.snapshots
        case "show": return SnapshotShowRequest(&words)
        case "delete":
            leaveIfRemote(&words)
            return SnapshotChange.delete(name: words.requiredOperand())
        case "create":
            leaveIfRemote(&words)
            let comment = words.value("--comment", "-c")
            return SnapshotChange.create(name: words.requiredOperand(), comment: comment)
        default: return left(&words)
        }
    }

    private static func fileRequest(_ words: inout CommandWords) -> any ServiceRequest {
        switch words.subcommand() {
        case "ls": FileListRequest(&words)
        case "stat": FileStatusRequest(&words)
        case "exists": FileExistsRequest(&words)
        case "cat": FileCatRequest(&words)
        case "df": ServiceQuestion.areas
        default: left(&words)
        }
    }

    /// A change of another board that is lost on the way is explained by the parser's command.
    private static func leaveIfRemote(_ words: inout CommandWords) {
        if words.board.host != nil { words.leave() }
    }

    /// Leaves the line to the parser; the request is not made.
    private static func left(_ words: inout CommandWords) -> any ServiceRequest {
        words.leave()
        return ServiceQuestion.status()
    }

    /// Runs the command, and returns its exit status.
    func run() -> CommandStatus {
        do {
            try CommandContext.run(options) { (context) throws(CommandError) in try request.run(in: context) }
            return .success
        } catch {
            Console(form: options.output).report(error)
            return error.status
        }
    }
}
