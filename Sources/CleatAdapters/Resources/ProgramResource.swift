internal import CleatAPI
internal import CleatJSON

/// The state of a program that takes part in changes (``AdapterProgram``).
struct ProgramResource: ResourceKind {
    static let kind = "program"

    static func resource(named name: String?) -> Resource? { name.flatMap { $0.isEmpty ? nil : .program($0) } }

    /// The name of the program's adapter.
    let program: String

    var resource: Resource { .program(program) }
    var name: String? { program }
    var description: String { "the state of the program \(program)" }
    var isRuntimeState: Bool { true }
    /// A program that hangs is not asked once more before its state is restored.
    var isComparedFirst: Bool { false }

    func accepts(_ state: ResourceState) -> Bool { if case .text = state { true } else { false } }
    func accepts(_ content: Memento.Content) -> Bool { content.program != nil }
    func differs(_ content: Memento.Content, from state: ResourceState) -> Bool? { nil }

    func capture(on system: SystemResources) throws(ResourceError) -> Memento.Content {
        try asked(.capture, system) { program throws(ProgramError) in
            let fingerprint = try program.fingerprint(comparing: nil).text
            return .program(ProgramMemento(fingerprint: fingerprint, state: try program.capture()))
        }
    }

    func apply(
        _ state: ResourceState, of step: ResourceChange, origin: Memento?, on system: SystemResources
    ) throws(ResourceError) -> SystemResources.Outcome {
        guard let settings = Self.settings(of: state) else { throw misfit(.apply) }
        try asked(.apply, system) { program throws(ProgramError) in
            try program.apply(settings)
            guard try program.fingerprint(comparing: settings).holds != false else {
                throw ProgramError(
                    "it reported success, but its state is not as the settings say; see the program's own log")
            }
        }
        return .written
    }

    func restore(
        _ content: Memento.Content, on system: SystemResources
    ) throws(ResourceError) -> SystemResources.Outcome {
        guard let memento = content.program else { throw misfit(.restore) }
        // Without the file there is nothing to ask any more; that is also how a state is given up.
        if system.isGone(resource) { return .skipped(Self.absence) }
        try asked(.restore, system) { program throws(ProgramError) in
            try program.restore(memento.state)
            guard try program.fingerprint(comparing: nil).text == memento.fingerprint else {
                throw ProgramError(
                    "it reported success, but its state is not the captured one; see the program's own log")
            }
        }
        return .written
    }

    func fingerprinted(on system: SystemResources) throws(ResourceError) -> [UInt8]? {
        try asked(.inspect, system) { program throws(ProgramError) in
            try Self.checkPause(program)
            return Array("program\n\(try program.fingerprint(comparing: nil).text)".utf8)
        }
    }

    func holds(_ state: ResourceState, on system: SystemResources) throws(ResourceError) -> Bool {
        guard let settings = Self.settings(of: state) else { return false }
        return try asked(.inspect, system) { program throws(ProgramError) in
            try Self.checkPause(program)
            return try program.fingerprint(comparing: settings).holds ?? false
        }
    }

    func content(on system: SystemResources) throws(ResourceError) -> [UInt8]? { nil }

    func missingRight(to step: ResourceChange, on system: SystemResources) -> String? {
        guard system.programs[program] == nil, !(step.restoresOrigin && system.isGone(resource)) else { return nil }
        return "needs the program \(program): \(Self.absence)"
    }

    func plan(
        _ planned: inout PlannedStep, from before: Memento, to goal: PlannedGoal, isSecret: Bool,
        on system: SystemResources
    ) throws(ResourceError) {
        switch goal {
        case .state(let state):
            let isReached = try holds(state, on: system)
            // A secret is never reported as unchanged, so that it cannot be found by guessing.
            planned.action = isReached && !isSecret ? .unchanged : .change
            planned.add("the program applies the settings to its state")
        case .memento(let memento): planned.action = before.isSame(as: memento) ? .unchanged : .change
        }
    }

    /// Throws if the program has not answered a short time ago: an inspection does not wait for it.
    private static func checkPause(_ program: any AdapterProgram) throws(ProgramError) {
        if program.isPaused {
            throw ProgramError("it has not answered within its time limit a short time ago; try again in a minute")
        }
    }

    /// The reason why a program cannot be called.
    private static let absence = "no file of adapters.d names it any more"

    private static func settings(of state: ResourceState) -> JSONObject? {
        guard case .text(let text) = state else { return nil }
        return (try? JSONReader.read(text))?.objectValue
    }

    /// Calls the program, and names this resource in its error.
    private func asked<Value>(
        _ stage: ResourceError.Stage, _ system: SystemResources,
        _ body: (any AdapterProgram) throws(ProgramError) -> Value
    ) throws(ResourceError) -> Value {
        guard let program = system.programs[program] else {
            throw ResourceError(stage, resource, reason: Self.absence)
        }
        do throws(ProgramError) {
            return try body(program)
        } catch {
            throw ResourceError(
                stage, resource,
                reason: stage != .restore
                    ? error.reason
                    : error.reason
                        + "; to give its state up, remove its file from adapters.d, then run 'cleat reload' and "
                        + "'cleat abort'")
        }
    }
}
