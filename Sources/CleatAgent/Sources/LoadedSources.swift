import CleatAPI
import CleatAdapters
import CleatJSON
import CleatOrder
import CleatSettings
import CleatTemplates

/// The contents of the board's files, and the findings in those that are not in force.
struct LoadedSources: Sendable {
    /// The combined contents of the files.
    var sources = SettingsSources(schema: .builtIn)
    /// The findings, in the order in which the files were read.
    var findings: [DoctorFinding] = []
    /// The positions of the values that the schema refuses, by the files of values.
    var places: [String: [SettingPath: JSONPosition]] = [:]
    /// The schemas in force, by their files; a file that becomes invalid keeps its former one.
    var schemas: [String: Schema] = [:]
    /// The rules about files and commands in the schemas in force, by their files.
    var rules: [String: ApplyRules] = [:]
    /// The texts of schemas that were just read and may have such rules, by their files.
    var unreadRules: [String: [UInt8]] = [:]
    /// The values in force of defaults and factory data, by their files.
    var values: [String: JSONValue] = [:]
    /// The locks in force, by their files.
    var locks: [String: [SettingLock]] = [:]
    /// The programs that take part in changes, by their files.
    var programs: [String: ProgramFile] = [:]

    /// True if the schema has anything deprecated.
    var hasDeprecated = false

    /// True if no file is refused.
    var isComplete: Bool { !findings.contains { $0.kind == .refusedFile } }

    /// The adapters for the rules of schemas, in the order of the names of their files.
    var templates: [TemplateAdapter] {
        rules.values.ordered { $0.file.utf8.lexicographicallyPrecedes($1.file.utf8) }.map(TemplateAdapter.init)
    }

    /// The programs that take part in changes, in the order of their names.
    var programFiles: [ProgramFile] {
        programs.values.ordered { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }

    /// Records the findings for a refused file, with the fallback that is in force.
    mutating func refuse(_ file: String, _ refusal: SourceRefusal, instead: String) {
        let reported = refusal.problems.prefix(SourceLimits.findingsPerFile)
        for (index, problem) in reported.enumerated() {
            let isLast = index == reported.count - 1
            let more = refusal.problems.count - reported.count
            add(
                DoctorFinding(
                    kind: .refusedFile, subject: file,
                    message: problem.message + (isLast && more > 0 ? " (and \(more) more problems)" : ""),
                    remedy: "correct the file, then run 'cleat reload'; \(instead)", line: problem.position?.line,
                    column: problem.position?.column))
        }
    }

    /// Records a finding, up to the limit.
    mutating func add(_ finding: DoctorFinding) {
        if findings.count < SourceLimits.findings { findings.append(finding) }
    }
}
