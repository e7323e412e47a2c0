import CleatJSON

/// Finds the contexts of a template's values, for any presence and repetition of its sections.
///
/// It follows all paths through the template at once: for each point it computes the set of states that the text can be
/// in. A section is scanned again until its set of states no longer grows.
struct ContextScanner<State: ContextState> {
    private let program: TemplateProgram
    /// The contexts that were found, by the indices of the steps.
    private var contexts: [TemplateContext?]
    private var refusals: [Int: TemplateError] = [:]
    private var work = 0
    private var isExhausted = false

    /// Sets the contexts of a template's variables.
    static func setContexts(in program: inout TemplateProgram) throws(TemplateErrors) {
        var scanner = ContextScanner(program)
        _ = scanner.scan(from: 0, [.start])
        if scanner.isExhausted {
            throw TemplateErrors([
                TemplateError(
                    JSONPosition(line: 1, column: 1),
                    "the template's sections are too many and too deep to determine where its values are; make it smaller"
                )
            ])
        }
        if !scanner.refusals.isEmpty { throw TemplateErrors(Array(scanner.refusals.values)) }
        // Every variable has been reached, since each section is entered at least once here.
        for (index, context) in scanner.contexts.enumerated() { program.steps[index].context = context ?? .word }
    }

    private init(_ program: TemplateProgram) {
        self.program = program
        contexts = Array(repeating: nil, count: program.steps.count)
    }

    /// Scans the steps from one up to the end of the section that it is in.
    private mutating func scan(from start: Int, _ states: Set<State>) -> Set<State> {
        var states = states
        var index = start
        while !isExhausted {
            count(1)
            read(program.text(before: index), &states)
            let step = program.steps[index]
            switch step.kind {
            case .end: return states
            case .variable: states = take(index, states)
            case .section, .mapSection, .inverted:
                while !isExhausted {
                    count(1)
                    let all = states.union(scan(from: index + 1, states))
                    if all == states { break }
                    states = all
                }
                index = Int(step.end)
            }
            index += 1
        }
        return states
    }

    private mutating func count(_ amount: Int) {
        work += amount
        if work > TemplateLimits.scanSteps { isExhausted = true }
    }

    /// Follows the template's own text.
    private mutating func read(_ text: ArraySlice<UInt8>, _ states: inout Set<State>) {
        guard !text.isEmpty else { return }
        count(text.count * states.count)
        states = Set(states.map { state in text.reduce(state) { $0.after($1) } })
    }

    private mutating func take(_ index: Int, _ states: Set<State>) -> Set<State> {
        for state in states {
            guard let context = state.context else {
                refuse(index, "no value is allowed \(state.refusal)")
                continue
            }
            if let known = contexts[index], known != context {
                refuse(index, "the value's context depends on the present sections; write a tag in each of them")
            }
            contexts[index] = context
        }
        return Set(states.map(\.afterValue))
    }

    private mutating func refuse(_ index: Int, _ message: String) {
        if refusals[index] == nil { refusals[index] = TemplateError(program.steps[index].position, message) }
    }
}
