package import SystemPackage

/// The paths of the service's directories and files.
package struct AgentPaths: Sendable, Equatable {
    /// The directory of the store of a system's service.
    static let usualState = "/var/lib/cleat"

    /// The directory of the store.
    package let state: FilePath
    /// The directory of the socket and of files that do not outlive a boot.
    package let runtime: FilePath
    /// The directory of `cleatd.json5`, `hooks.d`, `schema.d`, `defaults.d`, `locks.d`, `adapters.d`
    /// and `tokens.json5`.
    package let config: FilePath
    /// The root of the system that settings are applied to; nil for the machine's own.
    package let root: FilePath?
    /// The path of the socket.
    package let socket: FilePath

    /// Completes the paths that the command line omits: the directories of the FHS for root, those of the XDG Base
    /// Directory Specification for an ordinary user.
    ///
    /// - Parameters:
    ///   - options: The command line.
    ///   - environment: The environment, of which `HOME` and the `XDG_…` variables are read.
    ///   - uid: The effective user.
    ///   - workingDirectory: The directory that relative paths on the command line are relative to.
    /// - Throws: ``UsageError`` if an ordinary user has neither `HOME` nor the option.
    package init(
        options: AgentOptions, environment: [String: String], uid: UInt32, workingDirectory: FilePath
    ) throws(UsageError) {
        func absolute(_ text: String) -> FilePath {
            workingDirectory.pushing(FilePath(text)).lexicallyNormalized()
        }
        let root = options.root.map(absolute)
        func system(_ path: String) -> FilePath {
            root?.appending(FilePath(path).components) ?? FilePath(path)
        }
        // Only an absolute XDG path counts; the specification requires relative ones to be ignored.
        func user(_ variable: String, _ fallback: String, option: String) throws(UsageError) -> FilePath {
            if let value = environment[variable], value.hasPrefix("/") {
                return FilePath(value).appending("cleat")
            }
            guard let home = environment["HOME"], home.hasPrefix("/") else {
                throw UsageError("neither $\(variable) nor $HOME is set: give \(option) DIR")
            }
            return FilePath(home).appending(FilePath(fallback).components).appending("cleat")
        }
        // Below a root of its own the layout is that of a system, for any user.
        let usesSystemLayout = uid == 0 || root != nil

        if let state = options.state {
            self.state = absolute(state)
        } else if usesSystemLayout {
            state = system(Self.usualState)
        } else {
            state = try user("XDG_STATE_HOME", ".local/state", option: "--state")
        }
        if let runtime = options.runtime {
            self.runtime = absolute(runtime)
        } else if usesSystemLayout {
            runtime = system("/run/cleat")
        } else if let directory = environment["XDG_RUNTIME_DIR"], directory.hasPrefix("/") {
            runtime = FilePath(directory).appending("cleat")
        } else {
            runtime = state.appending("run")
        }
        if let config = options.config {
            self.config = absolute(config)
        } else if usesSystemLayout {
            config = system("/etc/cleat")
        } else {
            config = try user("XDG_CONFIG_HOME", ".config", option: "--config")
        }
        self.root = root
        socket = options.socket.map(absolute) ?? runtime.appending("socket")
    }

    /// The file with the service's own configuration.
    package var configurationFile: FilePath { config.appending("cleatd.json5") }

    /// The file of the tokens that prove a user.
    package var tokensFile: FilePath { config.appending("tokens.json5") }

    /// The directory of the file areas.
    package var files: FilePath { state.appending("files") }

    /// The directories of hook files, lowest first: the vendor's, then the administrator's.
    package var hookDirectories: [FilePath] { directories("hooks.d") }

    /// Returns the directories of one kind of file, lowest first: the vendor's, then the administrator's.
    package func directories(_ name: FilePath.Component) -> [FilePath] {
        [below("/usr/lib/cleat").appending(name), config.appending(name)]
    }

    /// Returns the path of the factory data file, which the configuration may name; such a path counts from the root.
    package func factory(named path: FilePath?) -> FilePath {
        path.map(below) ?? state.appending("factory.json5")
    }

    /// Returns an absolute path of the system below the root.
    func below(_ path: FilePath) -> FilePath {
        root?.appending(path.components) ?? path
    }
}
