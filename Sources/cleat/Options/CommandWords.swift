import CleatViews

/// The words of a command line, which a command takes one after the other without the argument parser.
///
/// Only plain forms are read: options with their whole names, or with one letter, and their values as the next word or
/// after `=`. A separate word that begins with `-` is an option, never a value. Whatever is left, or was not there, makes the line
/// incomplete: then it is left to the parser, which explains errors.
struct CommandWords {
    private let words: [String]
    /// False if no word is an option, which is the most frequent form.
    private var hasOptions: Bool
    /// The places of the words that are left.
    private var left: [Int] = []
    /// The place of the command's name.
    private var namePlace: Int?
    /// False once something was not as a command requires it.
    private var isPlain = true

    /// The options of every command.
    private(set) var board = BoardOptions()

    /// Creates the words of a command line, and takes the options of every command, before and after its name.
    init(_ arguments: some Collection<String>) {
        words = Array(arguments)
        hasOptions = false
        // One pass over plain numbers: a list made of a range costs more than a whole call.
        var place = 0
        while place < words.count {
            left.append(place)
            hasOptions = hasOptions || isOption(place)
            place += 1
        }
        guard hasOptions else { return }
        for name in BoardOptions.names {
            guard let value = value(name, BoardOptions.letter(of: name)) else { continue }
            if !board.take(name, value) { isPlain = false }
        }
    }

    /// True if all words were taken, and all that were required were there.
    var isComplete: Bool { isPlain && left.isEmpty }

    /// Takes the name of the command: the first word that is left.
    mutating func name() -> String? {
        namePlace = left.first
        return namePlace.flatMap { isOption($0) ? nil : operand() }
    }

    /// Takes the second part of the name of a command, such as `list` of `hook list`.
    mutating func subcommand() -> String? {
        // The parser accepts no options between the two.
        guard let namePlace, left.first == namePlace + 1, !isOption(namePlace + 1) else { return nil }
        return operand()
    }

    /// Takes an option without a value; returns true if it is there.
    mutating func flag(_ name: String, _ short: String? = nil) -> Bool {
        guard hasOptions else { return false }
        var isFound = false
        for place in left where words[place] == name || words[place] == short {
            take(place)
            if isFound { isPlain = false }
            isFound = true
        }
        return isFound
    }

    /// Takes an option that has a value, and is there once at most.
    mutating func value(_ name: String, _ short: String? = nil) -> String? {
        guard hasOptions else { return nil }
        let values = values(name, short)
        if values.count > 1 { isPlain = false }
        return values.first
    }

    /// Takes all values of an option that can be repeated.
    mutating func values(_ name: String, _ short: String? = nil) -> [String] {
        var values: [String] = []
        guard hasOptions else { return values }
        for place in left where isOption(place) {
            let word = words[place]
            if word == name || word == short {
                guard left.contains(place + 1), !isOption(place + 1) else {
                    isPlain = false
                    continue
                }
                take(place)
                values.append(take(place + 1))
            } else if word.hasPrefix(name) {
                // By characters, as the parser: a mark that combines with the equals sign is another character.
                let rest = word.dropFirst(name.count)
                guard rest.first == "=" else { continue }
                if rest.utf8.count == 1 { isPlain = false }
                take(place)
                values.append(String(rest.dropFirst()))
            }
        }
        return values
    }

    /// Takes an option that has a number.
    mutating func number<Number: FixedWidthInteger>(_ name: String, _ short: String? = nil) -> Number? {
        value(name, short).flatMap { number($0) }
    }

    /// Takes an option that has a number of 1 at least.
    mutating func positive(_ name: String, _ short: String? = nil) -> Int? {
        let number: Int? = number(name, short)
        if let number, number < 1 { isPlain = false }
        return number
    }

    /// Takes an option whose value is one of several.
    mutating func choice<Choice: RawRepresentable<String>>(_ name: String) -> Choice? {
        value(name).flatMap { chosen($0) }
    }

    /// Takes all values of an option that can be repeated, each of which is one of several.
    mutating func choices<Choice: RawRepresentable<String>>(_ name: String) -> [Choice] {
        values(name).compactMap { chosen($0) }
    }

    private mutating func chosen<Choice: RawRepresentable<String>>(_ text: String) -> Choice? {
        let choice = Choice(rawValue: text)
        if choice == nil { isPlain = false }
        return choice
    }

    /// Takes a word that is no option; to be called after all options that have values were taken.
    mutating func operand() -> String? {
        left.first { !isOption($0) }.map { take($0) }
    }

    /// Takes a word that is no option and has to be there.
    mutating func requiredOperand() -> String {
        if let operand = operand() { return operand }
        isPlain = false
        return ""
    }

    /// Takes a number that is no option.
    mutating func operandNumber() -> Int64? { operand().flatMap { number($0) } }

    /// Takes all words that are left and no options.
    mutating func operands() -> [String] {
        let operands = left.filter { !isOption($0) }.map { words[$0] }
        left = left.filter { isOption($0) }
        return operands
    }

    /// Takes all words that are left, each of which is a setting and its new value.
    mutating func assignments() -> [Assignment] {
        operands().compactMap { word in
            let assignment = Assignment(word)
            if assignment == nil { isPlain = false }
            return assignment
        }
    }

    /// Marks the line as one for the parser.
    mutating func leave() { isPlain = false }

    private mutating func number<Number: FixedWidthInteger>(_ text: String) -> Number? {
        let number = Number(text)
        if number == nil { isPlain = false }
        return number
    }

    @discardableResult
    private mutating func take(_ place: Int) -> String {
        left.removeAll { $0 == place }
        return words[place]
    }

    private func isOption(_ place: Int) -> Bool { words[place].utf8.first == UInt8(ascii: "-") }
}
