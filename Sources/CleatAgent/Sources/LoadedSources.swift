import CleatAPI
import CleatAdapters
import CleatJSON
import CleatSettings

/// What was read of the board's files, and what is wrong with those that are not in force.
struct LoadedSources: Sendable {
    /// What the files say.
    var sources = SettingsSources(schema: .builtIn)
    /// What is wrong with which file, in the order in which the files were read.
    var findings: [DoctorFinding] = []
    /// Where in the files of values those stand that the schema refuses.
    var places: [String: [SettingPath: JSONPosition]] = [:]
    /// The schemas in force, by their files; a file that breaks keeps the one that it had.
    var schemas: [String: Schema] = [:]
    /// What the schemas in force say of files and commands, by their files.
    var rules: [String: ApplyRules] = [:]
    /// The texts of schemas that were read just now and may have such rules, by their files.
    var unreadRules: [String: [UInt8]] = [:]
    /// The values in force of defaults and factory data, by their files.
    var values: [String: JSONValue] = [:]
    /// The locks in force, by their files.
    var locks: [String: [SettingLock]] = [:]

    /// Whether the schema has anything that should no longer be used.
    var hasDeprecated = false

    /// Whether no file is refused.
    var isComplete: Bool { !findings.contains { $0.kind == .refusedFile } }

    /// The adapters that follow the rules of schemas, in the order of the names of their files.
    var adapters: [TemplateAdapter] {
        rules.values.sorted { $0.file.utf8.lexicographicallyPrecedes($1.file.utf8) }.map(TemplateAdapter.init)
    }

    /// Notes that a file is refused, and what holds instead.
    mutating func refuse(_ file: String, _ refusal: SourceRefusal, instead: String) {
        let told = refusal.problems.prefix(SourceLimits.findingsPerFile)
        for (index, problem) in told.enumerated() {
            let isLast = index == told.count - 1
            let more = refusal.problems.count - told.count
            add(
                DoctorFinding(
                    kind: .refusedFile, subject: file,
                    message: problem.message + (isLast && more > 0 ? " (and \(more) more problems)" : ""),
                    remedy: "correct the file, then reload with SIGHUP; \(instead)", line: problem.position?.line,
                    column: problem.position?.column))
        }
    }

    /// Notes what is wrong, as far as there is room.
    mutating func add(_ finding: DoctorFinding) {
        if findings.count < SourceLimits.findings { findings.append(finding) }
    }
}
