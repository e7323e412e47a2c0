import ArgumentParser
import CleatViews

/// `cleat completions`.
struct CompletionsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "completions",
        abstract: "Print a completion script for a shell.",
        usage: "cleat completions <shell>",
        discussion: """
            The script completes commands and options, and asks the service for the paths of its settings.

            Examples:
              cleat completions bash > /etc/bash_completion.d/cleat
              cleat completions zsh > "${fpath[1]}/_cleat"
              cleat completions fish > ~/.config/fish/completions/cleat.fish
            """)

    /// The shells that have a completion script.
    enum Shell: String, CaseIterable, ExpressibleByArgument {
        case bash, zsh, fish

        var script: CompletionShell {
            switch self {
            case .bash: .bash
            case .zsh: .zsh
            case .fish: .fish
            }
        }
    }

    @Argument(help: "The shell: bash, zsh or fish.")
    var shell: Shell

    func run() throws {
        try Console(form: .text).write(CleatCommand.completionScript(for: shell.script) + "\n")
    }
}
