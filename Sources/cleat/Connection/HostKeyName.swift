import CleatIO
import SystemPackage

/// Looks up the name under which ssh knows a host's key, so that the same key is required at another address.
enum HostKeyName {
    /// The longest wait for each piece of ssh's output, in milliseconds; ``limit`` bounds the output, in bytes.
    private static let patience: Int32 = 5_000
    private static let limit = 256 << 10

    /// Returns the name in `known_hosts` (ssh(1), `-G`): that of `HostKeyAlias`, else the host with its port.
    ///
    /// If the program does not support the option, the name is made of the host and port as given.
    static func find(for access: RemoteAccess) -> String {
        name(in: configuration(of: access), of: access.host)
    }

    /// Returns the name that a configuration implies, as `ssh -G` prints it.
    static func name(in configuration: String, of host: RemoteHost) -> String {
        let values = values(in: configuration)
        if let alias = values["hostkeyalias"], alias != "none" { return String(alias) }
        let name = values["hostname"].map(String.init) ?? host.name
        let port = values["port"].flatMap { Int($0) } ?? host.port ?? 22
        return port == 22 ? name : "[\(name)]:\(port)"
    }

    /// Returns the values of a configuration by keyword; of two with the same keyword the first applies.
    static func values(in configuration: String) -> [Substring: Substring] {
        var values: [Substring: Substring] = [:]
        for line in configuration.split(whereSeparator: \.isNewline) {
            let words = line.split(separator: " ", maxSplits: 1)
            if words.count == 2, values[words[0]] == nil { values[words[0]] = words[1] }
        }
        return values
    }

    /// Returns ssh's configuration for a host, one keyword and value a line; empty if ssh does not print it.
    static func configuration(of access: RemoteAccess) -> String {
        var arguments = access.program + ["-G"]
        if let port = access.host.port { arguments += ["-p", "\(port)"] }
        return output(of: arguments + ["--", access.host.target]) ?? ""
    }

    /// Returns the output of a program that ends with 0 in time; nil otherwise.
    static func output(of arguments: [String]) -> String? {
        guard let program = try? PipedProgram(arguments, showsErrors: false) else { return nil }
        program.input.close()
        var text: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        while text.count < limit, !Process.waits(program.output.rawValue, milliseconds: patience) {
            let output = program.output.rawValue
            let count = unsafe buffer.withUnsafeMutableBytes { unsafe (try? Process.read(output, into: $0)) ?? 0 }
            guard count > 0 else { break }
            text += buffer.prefix(count)
        }
        program.terminate()
        guard case (.exited(0), _) = program.finish() else { return nil }
        return String(decoding: text, as: UTF8.self)
    }
}
