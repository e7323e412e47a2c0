import ArgumentParser

/// `cleat unset`.
struct UnsetCommand: ChangeCommand {
    static let configuration = CommandConfiguration(
        commandName: "unset",
        abstract: "Unset settings, which restores their defaults.",
        usage: "cleat unset [<options>] <path> ...",
        discussion: """
            Several paths are one transaction. A path with settings below it unsets all of them.

            Examples:
              cleat unset system/hostname
              cleat unset network/interfaces/eth0 --comment "port removed"
              cleat unset agent/log/level --volatile
            """)

    @OptionGroup var options: GlobalOptions

    @OptionGroup var result: ResultOptions

    @OptionGroup var write: WriteOptions

    @OptionGroup var trial: TrialOptions

    @OptionGroup var guarding: GuardOptions

    @OptionGroup var kind: ChangeKindOptions

    @Argument(help: "The paths of settings.", completion: .custom(SettingPathCompletion.paths))
    var paths: [String]

    func run(in context: CommandContext) throws(CommandError) {
        try SetSettings(
            removals: paths, expect: write.expect, id: write.id, comment: write.comment, volatile: kind.volatile,
            check: kind.check, confirm: trial.window?.milliseconds, until: trial.until, trial: trial, guarding: guarding
        ).run(in: context)
    }
}
