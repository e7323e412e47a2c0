package import CleatSettings

/// The options of the service's command line.
package struct AgentOptions: Sendable, Equatable {
    /// The action that the command line requests.
    package enum Action: Sendable, Equatable {
        /// Runs the service.
        case serve
        /// Connects standard input and output to the service's socket, for remote clients.
        case connect
        /// Prints the version.
        case version
        /// Prints the usage.
        case help
    }

    /// The action that the command line requests.
    package var action: Action = .serve
    /// The directory of the store; nil for the default.
    package var state: String?
    /// The directory of the socket; nil for the default.
    package var runtime: String?
    /// The directory of configuration and hooks; nil for the default.
    package var config: String?
    /// The root of the system that settings are applied to; nil for the machine's own.
    package var root: String?
    /// The path of the socket; nil for `socket` in the runtime directory.
    package var socket: String?
    /// The least level that is logged; nil leaves it to the configuration and the settings.
    package var logLevel: LogLevel?
    /// True if hooks are run.
    package var runsHooks = true
    /// The target of log messages.
    package var log: LogTarget = .standardError

    /// Parses the words of a command line, without the program's name.
    ///
    /// - Parameter arguments: The words after the program's name; both `--name value` and `--name=value` are accepted.
    /// - Throws: ``UsageError`` for an unknown word, a missing or a surplus value.
    package init(_ arguments: [String]) throws(UsageError) {
        var rest = arguments[...]
        if rest.first == "connect" {
            action = .connect
            rest.removeFirst()
        }
        while let word = rest.popFirst() {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0])
            var inline = parts.count == 2 ? String(parts[1]) : nil
            func value() throws(UsageError) -> String {
                let value = inline.take() ?? rest.popFirst()
                guard let value, !value.isEmpty else { throw UsageError("\(name) needs a value") }
                return value
            }
            switch (name, action) {
            case ("--version", _): action = .version
            case ("--help", _), ("-h", _): action = .help
            case ("--socket", _): socket = try value()
            case ("--state", .serve): state = try value()
            case ("--runtime", .serve): runtime = try value()
            case ("--config", .serve): config = try value()
            case ("--root", .serve): root = try value()
            case ("--no-hooks", .serve): runsHooks = false
            case ("--log-level", .serve):
                let text = try value()
                guard let level = LogLevel(rawValue: text) else {
                    let known = LogLevel.allCases.map(\.rawValue).joined(separator: ", ")
                    throw UsageError("--log-level \(text) is not one of \(known)")
                }
                logLevel = level
            case ("--log", .serve):
                let text = try value()
                guard let target = LogTarget(rawValue: text) else {
                    throw UsageError("--log \(text) is not one of stderr, syslog")
                }
                log = target
            default:
                throw UsageError("\(word) is not an option\(action == .connect ? " of connect" : "")")
            }
            if inline != nil { throw UsageError("\(name) takes no value") }
            if action == .version || action == .help { return }
        }
    }

    /// The usage text, for `--help`.
    package static let usage = """
        Runs the Cleat device configuration agent, or connects a remote client to it.

        usage: cleatd [options]
               cleatd connect [--socket PATH]

          --state DIR        the store's directory         (root: /var/lib/cleat, else $XDG_STATE_HOME/cleat)
          --runtime DIR      the socket's directory        (root: /run/cleat, else $XDG_RUNTIME_DIR/cleat)
          --config DIR       cleatd.json5, hooks.d, schema.d  (root: /etc/cleat, else $XDG_CONFIG_HOME/cleat)
          --root DIR         use the system below DIR; the defaults above are below it, too
          --socket PATH      the socket                    (socket in the runtime directory)
          --no-hooks         run no hooks, as for an image that is configured on another machine
          --log-level LEVEL  trace, debug, info, notice, warning, error or critical
          --log TARGET       stderr or syslog              (stderr)
          --version          print the version
          --help             print this

        connect joins standard input and output to the agent's socket: --socket, else $CLEAT_SOCKET, else
        /run/cleat/socket where it exists, else the socket of the user's own agent. `cleat -H user@board` runs it over
        ssh.

        Signals: SIGHUP reloads configuration and hooks; SIGTERM and SIGINT end the service.
        Environment: NOTIFY_SOCKET and WATCHDOG_USEC as set by systemd.

        """
}

/// An invalid command line; the description names the word and the remedy.
package struct UsageError: Error, Equatable, CustomStringConvertible {
    /// The problem, with the word that it is about.
    package let description: String

    init(_ problem: String) {
        description = "\(problem); see --help"
    }
}
