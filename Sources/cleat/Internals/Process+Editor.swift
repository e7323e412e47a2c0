import CLinux
import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension Process {
    /// Creates a directory that only the user can access, in `TMPDIR` or `/tmp`. mkdtemp(3)
    static func makePrivateDirectory(_ prefix: String) throws(CommandError) -> String {
        var parent = environment("TMPDIR") ?? ""
        if parent.isEmpty { parent = "/tmp" }
        var template = Array("\(parent)/\(prefix)XXXXXX".utf8CString)
        let isMade = unsafe template.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return false }
            return unsafe mkdtemp(base) != nil
        }
        guard isMade else {
            throw .local(
                "no private directory can be made in \(parent): \(Errno(rawValue: errno))",
                remedy: "name another directory in TMPDIR")
        }
        return String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Removes such a directory with its files; an editor may have left copies there.
    static func removePrivateDirectory(_ path: String) {
        for file in paths(startingWith: path + "/", limit: 1_000) { unsafe unlink(file) }
        unsafe rmdir(path)
    }

    /// Runs a program on this terminal and waits for its end; meanwhile SIGINT and SIGQUIT affect only the program.
    ///
    /// - Returns: nil if the program exited with 0, else a description of its end.
    static func runOnTerminal(_ arguments: [String]) throws(CommandError) -> String? {
        var pointers: [UnsafeMutablePointer<CChar>?] = unsafe arguments.map { unsafe strdup($0) }
        unsafe pointers.append(nil)
        defer { unsafe pointers.forEach { unsafe free($0) } }
        let result = unsafe clinux_cli_run(&pointers)
        guard result >= 0 else {
            throw .local("\(arguments[0]) cannot be started: \(Errno(rawValue: 0 &- result))")
        }
        if result == 0 { return nil }
        let signal = result & 0x7f
        return signal == 0 ? "ended with \(result >> 8 & 0xff)" : "was ended by signal \(signal)"
    }

    /// Removes a file and its directory if a signal ends the process; if the file holds changes, prints its path
    /// instead.
    static func clearWhenEnded(_ name: String, in directory: FileDescriptor, at path: String) {
        unsafe clinux_cli_clear_when_ended(
            directory.rawValue, name, path, "\ncleat: a signal ended it; your text is kept in \(path)/\(name)\n")
    }

    /// Marks whether that file holds the user's changes: true if it does; false if it does once its content differs
    /// from the present one, unless it was marked true before; nil if it does not.
    static func markWork(_ holdsWork: Bool?) {
        switch holdsWork {
        case true?: clinux_cli_mark_work(1)
        case false?: clinux_cli_mark_work(0)
        case nil: clinux_cli_mark_work(-1)
        }
    }

    /// Cancels the removal when a signal ends the process.
    static func clearNothingWhenEnded() { clinux_cli_clear_when_ended(-1, nil, nil, nil) }
}
