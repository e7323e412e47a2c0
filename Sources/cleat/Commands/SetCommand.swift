import ArgumentParser
import CleatSettings
import CleatViews

/// `cleat set`.
struct SetCommand: ChangeCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Change settings, all of them or none.",
        usage: "cleat set [<options>] [--stdin <path>] <path=value> ...",
        discussion: """
            Several changes are one transaction. A value is parsed as the type of its setting: a number, true or \
            false, a list in brackets, an object in braces, or else a string; inner quotes make anything a string. \
            Units are accepted if the setting has them (30s, 5MiB). With --id the call can be repeated after a lost \
            reply and is carried out once. With --stdin a value is read from standard input and appears in no list of \
            processes; a terminal does not show it.

            Examples:
              cleat set system/hostname=pump-7
              cleat set network/interfaces/eth0/dhcp=false network/interfaces/eth0/mtu=1400
              cleat set 'time/ntp/servers=["a.example", "b.example"]' --comment "own time servers"
              cleat set system/hostname=pump-8 --expect 12 --id rename-1
              cleat set agent/log/level=debug --volatile
              cleat set network/interfaces/eth0/mtu=9000 --until tcp:192.0.2.1:22 --wait
              cleat set --check network/interfaces/eth0/mtu=9000
              cleat set --stdin wifi/passphrase < passphrase.txt
            """)

    @OptionGroup var options: GlobalOptions

    @OptionGroup var result: ResultOptions

    @OptionGroup var write: WriteOptions

    @OptionGroup var trial: TrialOptions

    @OptionGroup var guarding: GuardOptions

    @OptionGroup var kind: ChangeKindOptions

    @Option(
        name: .customLong("stdin"), help: .init("Read the value of a setting from standard input.", valueName: "path"),
        completion: .custom(SettingPathCompletion.paths))
    var typed: String?

    @Argument(
        help: .init("A setting and its new value.", valueName: "path=value"),
        completion: .custom(SettingPathCompletion.assignments))
    var changes: [String] = []

    func validate() throws {
        if changes.isEmpty, typed == nil { throw ValidationError("Missing expected argument '<path=value> ...'") }
    }

    func run(in context: CommandContext) throws(CommandError) {
        var assignments = try Self.assignments(changes)
        if let typed { assignments.append(Assignment(path: typed, text: try Self.value(of: typed))) }
        try SetSettings(
            assignments: assignments, expect: write.expect, id: write.id, comment: write.comment,
            volatile: kind.volatile, check: kind.check, confirm: trial.window?.milliseconds, until: trial.until,
            trial: trial, guarding: guarding
        ).run(in: context)
    }

    /// Parses changes of the form `path=value`.
    static func assignments(_ changes: [String]) throws(CommandError) -> [Assignment] {
        var assignments: [Assignment] = []
        for change in changes {
            guard let assignment = Assignment(change) else {
                let hasPath = !change.isEmpty && !change.hasPrefix("=")
                guard hasPath else {
                    throw .usage("“\(change)” has no path", remedy: "write PATH=VALUE; see `cleat list`")
                }
                throw .usage(
                    "\(change) is not of the form path=value",
                    remedy: "write \(change)=VALUE, or `cleat unset \(change)`")
            }
            assignments.append(assignment)
        }
        return assignments
    }

    /// Reads one value from standard input.
    private static func value(of path: String) throws(CommandError) -> String {
        Question.canBeAsked
            ? try Question.askSecretly("\(path.printable): ")
            : try Question.readAll(limit: ChangeSet.maximumValueBytes + 2)
    }
}
