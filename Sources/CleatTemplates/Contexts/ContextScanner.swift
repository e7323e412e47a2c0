import CleatJSON

/// Finds the contexts of a template's values, for any presence and repetition of its sections.
///
/// It follows all paths through the template at once: for each point it computes the set of states that the text can be
/// in. A section is scanned again until its set of states no longer grows.
struct ContextScanner<State: ContextState> {
    private var contexts: [Set<TemplateContext>]
    private var refusals: [Int: TemplateError] = [:]
    private var steps = 0
    private var isExhausted = false

    static func contexts(in pieces: [TemplatePiece], count: Int) throws(TemplateErrors) -> [TemplateContext] {
        var scanner = ContextScanner(contexts: Array(repeating: [], count: count))
        _ = scanner.scan(pieces, [.start])
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
        return scanner.contexts.map { $0.first ?? .word }
    }

    private init(contexts: [Set<TemplateContext>]) {
        self.contexts = contexts
    }

    private mutating func scan(_ pieces: [TemplatePiece], _ states: Set<State>) -> Set<State> {
        var states = states
        for piece in pieces {
            if isExhausted { return states }
            switch piece {
            case .text(let bytes):
                steps += bytes.count * states.count
                if steps > TemplateLimits.scanSteps { isExhausted = true }
                states = Set(states.map { state in bytes.reduce(state) { $0.after($1) } })
            case .variable(let variable): states = take(variable, states)
            case .section(let section):
                while !isExhausted {
                    steps += 1 + section.pieces.count
                    if steps > TemplateLimits.scanSteps { isExhausted = true }
                    let all = states.union(scan(section.pieces, states))
                    if all == states { break }
                    states = all
                }
            }
        }
        return states
    }

    private mutating func take(_ variable: TemplateVariable, _ states: Set<State>) -> Set<State> {
        for state in states {
            guard let context = state.context else {
                refuse(variable, "no value is allowed \(state.refusal)")
                continue
            }
            contexts[variable.id].insert(context)
        }
        if contexts[variable.id].count > 1 {
            refuse(variable, "the value's context depends on the present sections; write a tag in each of them")
        }
        return Set(states.map(\.afterValue))
    }

    private mutating func refuse(_ variable: TemplateVariable, _ message: String) {
        if refusals[variable.id] == nil { refusals[variable.id] = TemplateError(variable.position, message) }
    }
}
