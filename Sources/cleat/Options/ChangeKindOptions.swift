import ArgumentParser

/// The options for volatile and checked changes.
struct ChangeKindOptions: ParsableArguments {
    @Flag(help: "Let the change last until the next boot only; no generation is made.")
    var volatile = false

    @Flag(help: "Only say whether the change would be taken, and what it would change.")
    var check = false
}
