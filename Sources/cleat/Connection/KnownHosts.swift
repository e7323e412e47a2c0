import SystemPackage

/// Adds the new address of a board to ssh's known hosts, with the key that is known for the board.
enum KnownHosts {
    /// Adds an address to the user's first file of known hosts (sshd(8), `SSH_KNOWN_HOSTS FILE FORMAT`).
    ///
    /// - Parameters:
    ///   - address: the numeric address.
    ///   - name: the name under which the board's key is known.
    ///   - access: the access by which the board was reached.
    /// - Returns: true if it was added; false if the address is known already, the key is unknown, or the file cannot
    ///   be written.
    static func add(_ address: String, like name: String, for access: RemoteAccess) -> Bool {
        let values = HostKeyName.values(in: HostKeyName.configuration(of: access))
        guard let file = values["userknownhostsfile"]?.split(separator: " ").first.map(String.init), file != "none"
        else { return false }
        let port = values["port"].flatMap { Int($0) } ?? access.host.port ?? 22
        let other = port == 22 ? address : "[\(address)]:\(port)"
        let keys = keys(of: name, in: file)
        guard !keys.isEmpty, self.keys(of: other, in: file).isEmpty else { return false }
        let lines = keys.map { "\(other) \($0)\n" }.joined()
        do {
            let target = try FileDescriptor.open(FilePath(file), .writeOnly, options: [.append, .closeOnExec])
            try target.closeAfter { _ = try target.writeAll(lines.utf8) }
            return true
        } catch {
            return false
        }
    }

    /// Returns the key types and keys that a file has for a name, without those of authorities and revoked ones.
    private static func keys(of name: String, in file: String) -> [String] {
        let found = HostKeyName.output(of: ["ssh-keygen", "-F", name, "-f", file]) ?? ""
        return keys(in: found)
    }

    /// Parses the output of `ssh-keygen -F`.
    static func keys(in text: String) -> [String] {
        text.split(whereSeparator: \.isNewline).compactMap { line in
            let words = line.split(separator: " ")
            guard words.count >= 3, !line.hasPrefix("#"), !line.hasPrefix("@") else { return nil }
            return "\(words[1]) \(words[2])"
        }
    }
}
