/// A Thompson automaton that runs all its states at once (Pike's simulation), so that no text causes backtracking.
struct PatternProgram: Sendable {
    enum Instruction: Sendable {
        case scalar(UInt32)
        case set(Int)
        case assertion(PatternNode.Assertion)
        case split(Int, Int)
        case jump(Int)
        case match
    }

    let instructions: [Instruction]
    let sets: [ScalarSet]

    /// Searches a text; returns nil if that takes more steps than the limit.
    func matches(_ text: String, steps: inout Int, limit: Int) -> Bool? {
        var run = Run(program: self)
        defer { steps += run.steps }
        var before: UInt32?
        var iterator = text.unicodeScalars.makeIterator()
        var current = iterator.next()?.value
        while true {
            // A match may begin at any position of the text.
            if run.follow(0, before: before, next: current) { return true }
            guard let value = current, !run.isEmpty || !beginsAtStart else { return false }
            if run.steps > limit { return nil }
            let following = iterator.next()?.value
            if run.advance(over: value, next: following) { return true }
            before = value
            current = following
        }
    }

    private var beginsAtStart: Bool {
        if case .assertion(.start) = instructions[0] { true } else { false }
    }

    /// The states of one run.
    private struct Run {
        let program: PatternProgram
        /// The instructions that consume the next scalar, each once.
        var waiting: [Int] = []
        var previous: [Int] = []
        /// The mark of the last position at which each instruction was visited.
        var visited: [Int]
        var mark = 1
        var stack: [Int] = []
        var steps = 0

        init(program: PatternProgram) {
            self.program = program
            visited = Array(repeating: 0, count: program.instructions.count)
        }

        var isEmpty: Bool { waiting.isEmpty }

        mutating func advance(over value: UInt32, next: UInt32?) -> Bool {
            mark += 1
            steps += 1
            swap(&waiting, &previous)
            waiting.removeAll(keepingCapacity: true)
            for thread in previous {
                steps += 1
                let taken =
                    switch program.instructions[thread] {
                    case .scalar(let wanted): wanted == value
                    case .set(let index): contains(value, index)
                    default: false
                    }
                if taken, follow(thread + 1, before: value, next: next) { return true }
            }
            return false
        }

        private mutating func contains(_ value: UInt32, _ index: Int) -> Bool {
            steps += program.sets[index].cost
            return program.sets[index].contains(value)
        }

        /// Follows the instructions that consume no text; returns true if the match is reached.
        mutating func follow(_ start: Int, before: UInt32?, next: UInt32?) -> Bool {
            stack.append(start)
            while let index = stack.popLast() {
                if visited[index] == mark { continue }
                visited[index] = mark
                steps += 1
                switch program.instructions[index] {
                case .match: return true
                case .jump(let target): stack.append(target)
                case .split(let first, let second):
                    stack.append(second)
                    stack.append(first)
                case .assertion(let assertion):
                    if holds(assertion, before: before, next: next) { stack.append(index + 1) }
                case .scalar, .set: waiting.append(index)
                }
            }
            return false
        }

        private func holds(_ assertion: PatternNode.Assertion, before: UInt32?, next: UInt32?) -> Bool {
            switch assertion {
            case .start: before == nil
            case .end: next == nil
            case .wordBoundary: isWord(before) != isWord(next)
            case .notWordBoundary: isWord(before) == isWord(next)
            }
        }

        private func isWord(_ value: UInt32?) -> Bool {
            guard let value else { return false }
            return ScalarSet.words.contains(value)
        }
    }
}
