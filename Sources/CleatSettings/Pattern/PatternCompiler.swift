/// Compiles the nodes of a pattern to the program of a Thompson automaton.
struct PatternCompiler {
    private var instructions: [PatternProgram.Instruction] = []
    private var sets: [ScalarSet] = []
    /// The number of visited nodes: repeating an empty node many times emits no instruction, but takes time.
    private var work = 0

    mutating func compile(_ root: PatternNode) throws(PatternError) -> PatternProgram {
        try emit(root)
        try append(.match, column: 1)
        return PatternProgram(instructions: instructions, sets: sets)
    }

    private mutating func append(_ instruction: PatternProgram.Instruction, column: Int) throws(PatternError) {
        try checkSize(instructions.count, column: column)
        instructions.append(instruction)
    }

    private func checkSize(_ count: Int, column: Int) throws(PatternError) {
        if count >= Pattern.maximumInstructions {
            throw PatternError(
                code: .tooLarge, column: column,
                message: "it needs more than \(Pattern.maximumInstructions) steps once its counts are written out; "
                    + "use smaller counts")
        }
    }

    private mutating func emit(_ node: PatternNode, column: Int = 1) throws(PatternError) {
        work += 1
        try checkSize(work / 4, column: column)
        switch node {
        case .empty: break
        case .scalar(let scalar): try append(.scalar(scalar.value), column: column)
        case .set(let set):
            sets.append(set)
            try append(.set(sets.count - 1), column: column)
        case .assertion(let assertion): try append(.assertion(assertion), column: column)
        case .sequence(let parts):
            for part in parts { try emit(part, column: column) }
        case .alternatives(let branches):
            var ends: [Int] = []
            for (index, branch) in branches.enumerated() {
                guard index < branches.count - 1 else {
                    try emit(branch, column: column)
                    break
                }
                let split = instructions.count
                try append(.match, column: column)
                try emit(branch, column: column)
                ends.append(instructions.count)
                try append(.match, column: column)
                instructions[split] = .split(split + 1, instructions.count)
            }
            for end in ends { instructions[end] = .jump(instructions.count) }
        case .repeated(let body, let minimum, let maximum, let column):
            try emit(body, minimum: minimum, maximum: maximum, column: column)
        }
    }

    private mutating func emit(
        _ body: PatternNode, minimum: Int, maximum: Int?, column: Int
    ) throws(PatternError) {
        for _ in 0..<minimum { try emit(body, column: column) }
        guard let maximum else {
            let split = instructions.count
            try append(.match, column: column)
            try emit(body, column: column)
            try append(.jump(split), column: column)
            instructions[split] = .split(split + 1, instructions.count)
            return
        }
        var splits: [Int] = []
        for _ in minimum..<maximum {
            splits.append(instructions.count)
            try append(.match, column: column)
            try emit(body, column: column)
        }
        for split in splits { instructions[split] = .split(split + 1, instructions.count) }
    }
}
