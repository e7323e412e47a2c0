import CleatIO
import CleatJSON
import CleatSettings
import Logging
import Synchronization
import SystemPackage

/// The configuration in force, and the log level that follows from it, the command line and the settings.
final class RunningConfiguration: Sendable {
    private struct State {
        var configuration = AgentConfiguration()
        var problem: ConfigurationProblem?
        var logLevelSetting: LogLevel?
    }

    private let options: AgentOptions
    private let paths: AgentPaths
    private let log: Logger
    private let threshold: LogThreshold
    private let state = Mutex(State())

    /// Creates the default configuration.
    ///
    /// - Parameters:
    ///   - options: The command line.
    ///   - paths: The paths of the service's files.
    ///   - log: The log that problems are written to.
    ///   - threshold: The least level that `log` writes.
    init(_ options: AgentOptions, _ paths: AgentPaths, log: Logger, threshold: LogThreshold) {
        (self.options, self.paths, self.log, self.threshold) = (options, paths, log, threshold)
    }

    /// The configuration in force.
    var current: AgentConfiguration { state.withLock { $0.configuration } }
    /// The problem of the configuration file; nil if it was read.
    var problem: ConfigurationProblem? { state.withLock { $0.problem } }

    /// Reads the configuration; an invalid file is refused and the former configuration stays in force.
    func load() {
        let file = paths.configurationFile
        var problem: ConfigurationProblem?
        var text: [UInt8]?
        do {
            text = try read(file)
            let configuration = try text.map { text in try AgentConfiguration(text: text) } ?? AgentConfiguration()
            state.withLock { $0.configuration = configuration }
        } catch let error as ConfigurationError {
            problem = ConfigurationProblem(position: error.position, message: error.message)
        } catch {
            problem = ConfigurationProblem(message: "\(error)")
        }
        state.withLock { $0.problem = problem }
        // Otherwise a store would be made where the file system is mounted later.
        let name = "mountRequired".utf8
        if problem != nil, let text, text.indices.contains(where: { text[$0...].starts(with: name) }) {
            state.withLock { $0.configuration.requiredMounts = .unknown }
        }
        if let problem { log.error("\(problem.text(in: file)); the former settings stay in force") }
        setLogLevel()
    }

    /// Reads the file; nil if there is none.
    ///
    /// - Throws: `TrustError` if other users could have written the file, or it cannot be read: it names whose files are
    ///   imported as settings.
    private func read(_ file: FilePath) throws(TrustError) -> [UInt8]? {
        do {
            return try TrustPolicy.current(root: paths.root?.string).contents(
                of: file.string, limit: AgentConfiguration.sizeLimit)
        } catch {
            guard error.errno == .noSuchFileOrDirectory else { throw error }
            return nil
        }
    }

    // MARK: Log level

    /// Applies the log level of the settings.
    func followLogLevel(_ settings: LayeredSettings) {
        let setting = (try? SettingPath("agent/log/level")).flatMap(settings.value)
        let level = setting.flatMap { $0.isInForce ? $0.value?.stringValue : nil }.flatMap(LogLevel.init(rawValue:))
        state.withLock { $0.logLevelSetting = level }
        setLogLevel()
    }

    /// Sets the log level: the command line has precedence over the setting, and the setting over the configuration
    /// file.
    private func setLogLevel() {
        let (setting, configured) = state.withLock { ($0.logLevelSetting, $0.configuration.logLevel) }
        let level = (options.logLevel ?? setting ?? configured ?? .info).level
        let former = threshold.level
        guard level != former else { return }
        // This is logged at any level: otherwise a log that ends would not say why.
        threshold.level = min(former, .notice)
        log.notice(
            "from now on messages of level \(level) and above are logged; until now those of level \(former) were")
        threshold.level = level
    }
}
