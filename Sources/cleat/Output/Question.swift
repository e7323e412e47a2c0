import SystemPackage

/// Asks questions on the terminal.
enum Question {
    /// True if the user can be asked: standard input and standard error are terminals.
    static var canBeAsked: Bool {
        Process.isTerminal(.standardInput) && Process.isTerminal(.standardError)
    }

    /// Asks a question and reads one line.
    ///
    /// - Returns: the answer in lower case if it is one of the given ones; nil for any other, and at the end of the
    ///   input.
    static func ask(_ question: String, _ answers: [String]) throws(CommandError) -> String? {
        Console.printError(question)
        let answer = String(decoding: try line(), as: UTF8.self).lowercased()
        return answers.first { $0 == answer }
    }

    /// Asks for a number and reads one line; nil if it is not a number.
    static func askNumber(_ question: String) throws(CommandError) -> Int64? {
        Console.printError(question)
        return Int64(String(decoding: try line(), as: UTF8.self))
    }

    /// Reads one line of standard input without echo, without its line end.
    ///
    /// The terminal's echo is restored if a signal ends the process. termios(3)
    static func askSecretly(_ question: String) throws(CommandError) -> String {
        // The echo is off before the question appears, so that an immediate answer is not shown either.
        SecretInput.begin()
        Console.printError(question)
        defer {
            SecretInput.end()
            Console.printError("\n")
        }
        let bytes = try line()
        guard let text = String(validating: bytes, as: UTF8.self) else { throw notText }
        return text
    }

    /// Reads all of standard input, without one line end at its end.
    static func readAll(limit: Int) throws(CommandError) -> String {
        var bytes: [UInt8] = []
        while let piece = try piece(65536) {
            bytes += piece
            guard bytes.count <= limit else {
                throw .local("standard input holds more than \(limit) bytes", remedy: "give a shorter value")
            }
        }
        if bytes.last == 0x0a { bytes.removeLast() }
        if bytes.last == 0x0d { bytes.removeLast() }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw notText }
        return text
    }

    private static var notText: CommandError {
        .local("standard input is not UTF-8", remedy: "give text, or a list and base64 where the setting takes it")
    }

    private static func line() throws(CommandError) -> [UInt8] {
        var bytes: [UInt8] = []
        while let byte = try piece(1)?.first, byte != 0x0a {
            bytes.append(byte)
            guard bytes.count <= 1 << 20 else { throw .local("the line is longer than 1 MiB") }
        }
        if bytes.last == 0x0d { bytes.removeLast() }
        return bytes
    }

    /// Reads the available bytes, up to a maximum; nil at the end.
    private static func piece(_ count: Int) throws(CommandError) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: count)
        do {
            let read = try unsafe buffer.withUnsafeMutableBytes {
                unsafe try FileDescriptor.standardInput.read(into: $0)
            }
            return read > 0 ? Array(buffer[..<read]) : nil
        } catch {
            throw .local("standard input cannot be read: \(error)")
        }
    }
}
