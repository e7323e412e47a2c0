import CleatIO
import CleatSettings
import CleatTestSupport
import Logging
import SystemPackage
import Testing

@testable import CleatAgent

@Suite("the configuration in force")
struct RunningConfigurationTests {
    private static func configuration(_ directory: borrowing TemporaryDirectory) throws -> RunningConfiguration {
        let options = try AgentOptions(["--state", "s", "--runtime", "r", "--config", "."])
        let paths = try AgentPaths(
            options: options, environment: [:], uid: ProcessSelf.uid, workingDirectory: directory.path)
        return RunningConfiguration(options, paths, log: .quiet, threshold: LogThreshold(.info))
    }

    /// Before, a user who could write the file decided whose files are imported as settings.
    @Test(
        "a file that other users can write is refused, and the former one stays in force", .tags(.fault),
        arguments: [UInt16(0o666), 0o646])
    func writable(mode: UInt16) throws {
        let directory = try TemporaryDirectory()
        let configuration = try Self.configuration(directory)
        try directory.write("{ logLevel: \"debug\" }", to: "cleatd.json5")
        configuration.load()
        #expect(configuration.problem == nil && configuration.current.logLevel == .debug)
        try directory.write("{ logLevel: \"error\" }", to: "cleatd.json5", mode: mode)
        configuration.load()
        #expect(configuration.problem != nil && configuration.current.logLevel == .debug)
    }

    @Test("without a file, and below a missing directory, the defaults are in force")
    func missing() throws {
        let directory = try TemporaryDirectory()
        let configuration = try Self.configuration(directory)
        configuration.load()
        #expect(configuration.problem == nil && configuration.current == AgentConfiguration())
        let options = try AgentOptions(["--state", "s", "--runtime", "r", "--config", "none/such"])
        let paths = try AgentPaths(
            options: options, environment: [:], uid: ProcessSelf.uid, workingDirectory: directory.path)
        let other = RunningConfiguration(options, paths, log: .quiet, threshold: LogThreshold(.info))
        other.load()
        #expect(other.problem == nil && other.current == AgentConfiguration())
    }
}
