internal import CleatJSON
package import CleatSettings

/// Makes the state of a program follow the settings below some prefixes.
package struct ProgramAdapter: DefaultingAdapter {
    /// The name that ``Adapter/name`` begins with.
    static let namePrefix = "program:"

    /// The name of the program's adapter, by which its resource is stored.
    let programName: String
    package let prefixes: [SettingPath]
    /// The time limit of one call of the program.
    private let callLimit: Duration
    /// The program.
    let program: any AdapterProgram

    /// Creates an adapter.
    ///
    /// - Parameters:
    ///   - name: the name of the adapter, which stays the same for as long as its state is stored.
    ///   - prefixes: the settings that it follows: these paths and all below them; not empty.
    ///   - callLimit: the time limit that the program keeps in each call.
    ///   - program: the program.
    package init(_ name: String, _ prefixes: [SettingPath], callLimit: Duration, program: any AdapterProgram) {
        programName = name
        self.prefixes = prefixes
        self.callLimit = callLimit
        self.program = program
    }

    /// `program:` and the name of the adapter.
    package var name: String { Self.namePrefix + programName }
    /// The time of three calls: the state is compared after it was captured, applied or restored.
    package var timeLimit: Duration { callLimit * 3 }
    /// The program's state.
    package var resource: Resource { .program(programName) }

    /// Wants the state that the settings say, if at least one of them is set above the schema's default.
    package func desired(_ settings: LayeredSettings) -> DesiredState {
        var state = DesiredState()
        guard let path = prefixes.lazy.compactMap(settings.firstInForce).first else {
            return state
        }
        state.want(resource, .text(JSONWriter.write(.object(values(settings)))), for: path)
        return state
    }

    /// Asks the program for the reasons why it cannot apply the settings.
    package func check(
        _ settings: LayeredSettings, _ desired: DesiredState, on system: SystemResources
    ) -> [SettingProblem] {
        guard system.isRunning, let path = desired.wanted.first?.path else { return [] }
        do throws(ProgramError) {
            return try program.check(values(settings)).map { problem in
                // A program speaks for its own settings only.
                let named = problem.path.flatMap { try? SettingPath($0) }.flatMap { follows($0) ? $0 : nil }
                return SettingProblem(path: named ?? path, value: nil, code: .system, reason: problem.reason)
            }
        } catch {
            return [
                SettingProblem(
                    path: path, value: nil, code: .system,
                    reason: "cannot be checked by the program \(programName): \(error.reason)")
            ]
        }
    }

    /// Returns true: the program uses the defaults of its settings.
    package func usesDefault(of path: SettingPath, _ settings: LayeredSettings) -> Bool { true }

    /// Returns the values below the prefixes, with the schema's defaults, as one object from the root of the settings.
    private func values(_ settings: LayeredSettings) -> JSONObject {
        let rows = prefixes.flatMap { settings.list(under: $0) }
        return SettingsTree(rows.compactMap { row in row.value.map { (row.path, $0) } }).value(at: nil)?.objectValue
            ?? JSONObject()
    }
}
