/// The state in a POSIX shell script, as far as it decides if a value is only read as a word.
///
/// A value is quoted, so that it stays one word. But a word is run in the position of a command, or as an argument of a
/// command that runs its arguments, and it names a file after a redirection. So the state tracks words (POSIX.1-2024,
/// Shell Command Language, 2.4, 2.7 and 2.10).
struct ShellContext: ContextState {
    /// The position in the command that is being read.
    private enum Command: Hashable {
        /// Before the first word.
        case awaited
        /// In the first word, the name of the command.
        case name
        /// After `NAME=`, which another assignment or the command follows.
        case assignment
        /// In the arguments of a command that only reads them.
        case arguments
        /// In the arguments of a command that runs them.
        case run
    }

    /// The position relative to a redirection.
    private enum Redirection: Hashable {
        case none
        /// Before the word of the target.
        case awaited
        /// In the word of the target.
        case target
    }

    /// The state of quotes, comments and substitutions.
    private var text = ShellText.command
    private var command = Command.awaited
    private var redirection = Redirection.none
    /// The current word, without its quotes and directories, as far as it is needed.
    private var word: [UInt8] = []

    static let start = ShellContext()

    /// Words that a command follows (reserved words, POSIX.1-2024, 2.4; `time` and `coproc` of bash).
    private static let reserved = words("if while until then do else elif ! { time coproc")
    /// Such words among arguments, where they need no separator.
    private static let reservedLater = words("do {")
    /// Commands that run their arguments, or text in them.
    private static let runners = words(
        "eval . source exec command builtin trap alias let sh ash bash dash ksh mksh zsh busybox env nice nohup xargs sudo "
            + "doas su timeout setsid chroot ssh watch")

    private static func words(_ text: String) -> Set<[UInt8]> { Set(text.utf8.split(separator: 32).map(Array.init)) }

    /// The number of bytes of a word that are kept: more than the longest word in these lists with a slash before it.
    private static let wordLimit = 10

    func after(_ byte: UInt8) -> ShellContext {
        var next = self
        if redirection == .awaited, text == .word || text == .less, Self.redirectors.contains(byte) {
            // >>, >|, >&, <&, <>; a here-document is handled by the state of the text.
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

    /// True outside of quotes and comments.
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

    /// Returns true if it can be the name of a variable, with the `+` of `+=`; only the start of a long name is
    /// checked.
    private static func isName(_ word: [UInt8]) -> Bool {
        guard let first = word.first, ShellText.isName(first), !isDigit(first) else { return false }
        return (word.last == UInt8(ascii: "+") ? word.dropLast() : word[...]).allSatisfy(ShellText.isName)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    /// Ends a word; blanks change nothing if a command still follows.
    private mutating func end(isRedirected: Bool) {
        let ended = word.first == UInt8(ascii: "/") ? Array(word.dropFirst()) : word
        word = []
        if redirection == .target {
            redirection = .none
        } else {
            switch command {
            case .assignment: command = .awaited
            case .name where Self.reserved.contains(ended) || ended.first == UInt8(ascii: "-"): command = .awaited
            // A file descriptor's number.
            case .name where isRedirected && ended.allSatisfy(Self.isDigit): command = .awaited
            case .name: command = Self.runners.contains(ended) ? .run : .arguments
            case .arguments where Self.reservedLater.contains(ended): command = .awaited
            case .arguments, .run, .awaited: break
            }
        }
        if command == .awaited, text == .word, !isRedirected { text = .command }
    }

    var afterValue: ShellContext {
        var next = self
        next.text = text.afterValue
        return next
    }

    var context: TemplateContext? {
        guard text.takesValue, redirection == .none else { return nil }
        return command == .arguments || command == .assignment ? .shell : nil
    }

    var refusal: String {
        if redirection != .none {
            return "as the file of a redirection; name the file in the template"
        }
        guard text.takesValue else { return text.refusal }
        return command == .run
            ? "among the arguments of a command that runs them; hand the value over in a variable before"
            : "in the name of a command; write it behind a name and =, or as an argument"
    }
}
