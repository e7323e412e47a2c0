/// Follows the text of a POSIX shell as far as it decides what a value does there: a word that is read, and nothing else.
///
/// A value is quoted, so that it stays one word; but a word is run where a command stands, by commands that run their
/// arguments, and it names a file behind a redirection. What stands there is followed word by word (POSIX.1-2024, Shell
/// Command Language, 2.4, 2.7 and 2.10).
struct ShellPlace: PlaceState {
    /// What the words of the command are that is being read.
    private enum Command: Hashable {
        /// None was read yet.
        case awaited
        /// The first one, which is what runs.
        case name
        /// `NAME=`, behind which the command is awaited again.
        case assignment
        /// Arguments of a command that only reads them.
        case arguments
        /// Arguments of a command that runs them.
        case run
    }

    /// Whether a word is the target of a redirection.
    private enum Redirection: Hashable {
        case none
        /// Its word has not begun.
        case awaited
        /// Its word is being read.
        case target
    }

    /// What quotes make of it.
    private var text = ShellText.command
    private var command = Command.awaited
    private var redirection = Redirection.none
    /// The word that is being read, without its quotes and directories, as far as it is needed.
    private var word: [UInt8] = []

    static let start = ShellPlace()

    /// Words behind which a command stands (reserved words, POSIX.1-2024, 2.4; `time` and `coproc` of bash).
    private static let reserved = words("if while until then do else elif ! { time coproc")
    /// Among arguments, where no separator is needed before them.
    private static let reservedLater = words("do {")
    /// Commands that run their arguments, or text that is in them.
    private static let runners = words(
        "eval . source exec command builtin trap alias let sh ash bash dash ksh mksh zsh busybox env nice nohup xargs sudo "
            + "doas su timeout setsid chroot ssh watch")

    private static func words(_ text: String) -> Set<[UInt8]> { Set(text.utf8.split(separator: 32).map(Array.init)) }

    /// The longest word that is looked for, and one byte.
    private static let wordLimit = 10

    func after(_ byte: UInt8) -> ShellPlace {
        var next = self
        if redirection == .awaited, text == .word || text == .less, Self.redirectors.contains(byte) {
            // >>, >|, >&, <&, <>; a here-document is what quotes make of it.
            next.text = byte == UInt8(ascii: "<") ? text.after(byte) : .word
            return next
        }
        next.text = text.after(byte)
        let begins = !text.isOfWord && next.text.isOfWord
        if begins { next.begin() }
        if next.text.isOfWord { next.take(byte, isHidden: text == .escapedInWord && byte == 10) }
        let isRedirected = isPlain && (byte == UInt8(ascii: "<") || byte == UInt8(ascii: ">"))
        if text.isOfWord, !next.text.isOfWord { next.end(isRedirected: isRedirected) }
        if isRedirected, next.text == .less || next.text == .word { next.redirection = .awaited }
        if next.text == .command || next.text == .parenthesis {
            (next.command, next.redirection) = (.awaited, .none)
        }
        return next
    }

    private static let redirectors: Set<UInt8> = [
        UInt8(ascii: ">"), UInt8(ascii: "|"), UInt8(ascii: "&"), UInt8(ascii: "<"),
    ]

    /// Whether neither quotes nor a comment are around.
    private var isPlain: Bool {
        switch text {
        case .command, .word, .inWord, .bracket, .less, .parenthesis: true
        default: false
        }
    }

    private mutating func begin() {
        word = []
        if redirection == .awaited {
            redirection = .target
        } else if command == .awaited {
            command = .name
        }
    }

    private mutating func take(_ byte: UInt8, isHidden: Bool) {
        switch byte {
        case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "\\"): return
        case UInt8(ascii: "/"): word = [byte]
        case UInt8(ascii: "=") where command == .name && redirection == .none && Self.isName(word):
            command = .assignment
        default: if !isHidden, word.count < Self.wordLimit { word.append(byte) }
        }
    }

    /// Whether it can be the name of a variable, with the `+` of `+=`; of a long one the beginning is looked at.
    private static func isName(_ word: [UInt8]) -> Bool {
        guard let first = word.first, ShellText.isName(first), !isDigit(first) else { return false }
        return (word.last == UInt8(ascii: "+") ? word.dropLast() : word[...]).allSatisfy(ShellText.isName)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    /// A word has ended; where a command is awaited behind it, blanks change nothing.
    private mutating func end(isRedirected: Bool) {
        let ended = word.first == UInt8(ascii: "/") ? Array(word.dropFirst()) : word
        word = []
        if redirection == .target {
            redirection = .none
        } else {
            switch command {
            case .assignment: command = .awaited
            case .name where Self.reserved.contains(ended) || ended.first == UInt8(ascii: "-"): command = .awaited
            // The number of a file.
            case .name where isRedirected && ended.allSatisfy(Self.isDigit): command = .awaited
            case .name: command = Self.runners.contains(ended) ? .run : .arguments
            case .arguments where Self.reservedLater.contains(ended): command = .awaited
            case .arguments, .run, .awaited: break
            }
        }
        if command == .awaited, text == .word, !isRedirected { text = .command }
    }

    var afterValue: ShellPlace {
        var next = self
        next.text = text.afterValue
        return next
    }

    var place: TemplatePlace? {
        guard text.takesValue, redirection == .none else { return nil }
        return command == .arguments || command == .assignment ? .shell : nil
    }

    var refusal: String {
        if redirection != .none {
            return "where the shell looks for a file to redirect to or from; name it in the template"
        }
        guard text.takesValue else { return text.refusal }
        return command == .run
            ? "among the arguments of a command that runs them; hand the value over in a variable before"
            : "in the name of a command; write it behind a name and =, or as an argument"
    }
}
