import CleatAPI
import CleatIO
package import CleatObservers
import CleatSettings
import Logging
import Synchronization
import SystemPackage

/// The process of the service: from the command line to the exit status (sysexits.h).
package enum AgentProcess {
    private static let usageStatus: Int32 = 64
    private static let unavailableStatus: Int32 = 69
    private static let deniedStatus: Int32 = 77
    private static let failureStatus: Int32 = 1

    /// Executes the process's command line, and ends the process.
    ///
    /// - Parameter libudev: Opens a source of libudev; nil if the program does not link it.
    package static func main(libudev: DeviceSourceOpener?) -> Never {
        ProcessCalls.prepare()
        let arguments = CommandLine.arguments
        // Without /proc there is no command line to be read, and the service would run with unintended defaults.
        guard !arguments.isEmpty else {
            printError("the command line cannot be read: mount /proc, then start cleatd again")
            ProcessCalls.exit(failureStatus)
        }
        ProcessCalls.exit(status(of: Array(arguments.dropFirst()), libudev))
    }

    private static func status(of arguments: [String], _ libudev: DeviceSourceOpener?) -> Int32 {
        do {
            let options = try AgentOptions(arguments)
            switch options.action {
            case .version: print("cleatd \(CleatVersion.text)")
            case .help: print(AgentOptions.usage, terminator: "")
            case .connect: return connect(options)
            case .serve:
                let paths = try AgentPaths(
                    options: options, environment: environment, uid: ProcessSelf.uid,
                    workingDirectory: ProcessCalls.workingDirectory)
                return serve(options, paths, libudev)
            }
            return 0
        } catch {
            printError("\(error)")
            return usageStatus
        }
    }

    /// The environment variables that name an ordinary user's directories.
    private static var environment: [String: String] {
        ["HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME"].reduce(into: [:]) { variables, name in
            variables[name] = Environment.value(name)
        }
    }

    private static func serve(
        _ options: AgentOptions, _ paths: AgentPaths, _ libudev: DeviceSourceOpener?
    ) -> Int32 {
        // Before the first thread starts: it inherits the mask, and signals are read from a descriptor.
        SignalMask.block([.terminate, .interrupt, .hangUp])
        ProcessCalls.keepMemorySmall()
        let threshold = LogThreshold((options.logLevel ?? .info).level)
        let sink = LogSink(options.log)
        let log = Logger(label: "cleatd") { _ in AgentLogHandler(sink: sink, threshold: threshold) }
        do {
            do throws(Errno) {
                try ProcessCalls.forbidCoreFiles()
            } catch {
                log.warning(
                    "core files of the service cannot be forbidden (\(error)); set the limit to 0 where it is started")
            }
            try sink.reportFatalSignals()
            let loop = try EventLoop()
            var ending = Agent.Ending.asked
            repeat {
                let agent = Agent(
                    loop: loop, options: options, paths: paths, log: log, threshold: threshold, libudev: libudev,
                    after: ending
                ) { sink.written }
                ending = try loop.block { try await agent.run() }
            } while ending != .asked
            return 0
        } catch {
            log.critical("cleatd cannot run: \(error)")
            return failureStatus
        }
    }

    private static func connect(_ options: AgentOptions) -> Int32 {
        let path = ServiceSocket.path(
            option: options.socket, user: ProcessSelf.uid, environment: Environment.value,
            exists: FileMoves.exists)
        do {
            let socket = try ProcessCalls.connect(to: path)
            defer { try? socket.close() }
            var relay = Relay(socket: socket, input: .standardInput, output: .standardOutput)
            try relay.run()
            return 0
        } catch Errno.permissionDenied, Errno.notPermitted {
            printError(
                "user \(ProcessSelf.uid) may not connect to the agent at \(path); root, the agent's own user and members of "
                    + "group \(Access.group) may")
            return deniedStatus
        } catch {
            printError(
                "cannot reach the agent at \(path): \(error); start cleatd, or name its socket with CLEAT_SOCKET")
            return unavailableStatus
        }
    }

    private static func printError(_ message: String) {
        _ = try? FileDescriptor.standardError.writeAll("cleatd: \(message)\n".utf8)
    }
}
