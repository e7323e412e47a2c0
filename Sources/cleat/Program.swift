import ArgumentParser
import CleatAPI
import CleatViews

/// The program: runs one command, synchronously, and exits with its status.
@main
struct Program {
    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        // Invalid UTF-8 was replaced in the arguments, which would not be what the user typed.
        if let number = Process.firstArgumentThatIsNoText {
            Console(form: form(of: arguments)).report(
                .usage("argument \(number) is not UTF-8", remedy: "type it, or name the file, in UTF-8"))
            Process.exit(.usage)
        }
        Process.ignoreBrokenPipes()
        // Exits in place, so that nothing is destroyed before.
        if let command = QuickCommand(arguments) { Process.exit(command.run()) }
        Process.exit(run(arguments))
    }

    /// Runs a command through the argument parser.
    static func run(_ arguments: [String]) -> CommandStatus {
        do {
            try ArgumentOrder.requireOneHost(arguments)
            try ArgumentOrder.requireKnownCommand(arguments, root: CleatCommand.self)
            var command = try CleatCommand.parseAsRoot(ArgumentOrder.hoisted(arguments, root: CleatCommand.self))
            try command.run()
            return .success
        } catch let error as CommandError {
            Console(form: form(of: arguments)).report(error)
            return error.status
        } catch {
            return finish(error, form: form(of: arguments))
        }
    }

    /// Prints the parser's help, version, script or error, and returns the status.
    private static func finish(_ error: any Error, form: OutputForm) -> CommandStatus {
        if CleatCommand.exitCode(for: error) == .success {
            do {
                try Console(form: .text).write(CleatCommand.fullMessage(for: error) + "\n")
                return .success
            } catch {
                Console(form: .text).report(error)
                return error.status
            }
        }
        if form == .text {
            Console.printError(CleatCommand.fullMessage(for: error) + "\n")
        } else {
            Console(form: form).report(.usage(CleatCommand.message(for: error), remedy: "see `cleat --help`"))
        }
        return .usage
    }

    /// Returns the requested output format, even if the rest of the command line is invalid.
    static func form(of arguments: [String]) -> OutputForm {
        for (index, argument) in arguments.enumerated() {
            if argument == "--output", index + 1 < arguments.count {
                return OutputForm(rawValue: arguments[index + 1]) ?? .text
            }
            if argument.hasPrefix("--output=") {
                return OutputForm(rawValue: String(argument.dropFirst("--output=".count))) ?? .text
            }
        }
        return .text
    }
}
