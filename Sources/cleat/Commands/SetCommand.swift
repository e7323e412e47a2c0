import ArgumentParser

/// `cleat set`.
struct SetCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Change settings, all of them or none.",
        usage: "cleat set [<options>] <path=value> ...",
        discussion: """
            Several changes are one transaction. A value is read as its setting wants it: a number, true or false, a \
            list in brackets, an object in braces, or else a string; quotes inside make a string of anything. Units are \
            accepted where the setting has them (30s, 5MiB). With --id the call can be repeated after a lost answer \
            and is carried out once.

            Examples:
              cleat set system/hostname=pump-7
              cleat set network/interfaces/eth0/dhcp=false network/interfaces/eth0/mtu=1400
              cleat set 'time/ntp/servers=["a.example", "b.example"]' --comment "own time servers"
              cleat set system/hostname=pump-8 --expect 12 --id rename-1
            """)

    @OptionGroup var options: GlobalOptions

    @OptionGroup var write: WriteOptions

    @Argument(
        help: .init("A setting and its new value.", valueName: "path=value"),
        completion: .custom(SettingPathCompletion.assignments))
    var changes: [String]

    func run(in context: CommandContext) throws(CommandError) {
        var assignments: [Assignment] = []
        for change in changes {
            guard let assignment = Assignment(change) else {
                throw .usage(
                    "\(change) is no path=value", remedy: "write \(change)=VALUE, or `cleat unset \(change)`")
            }
            assignments.append(assignment)
        }
        try SetSettings(assignments: assignments, expect: write.expect, id: write.id, comment: write.comment)
            .run(in: context)
    }
}
