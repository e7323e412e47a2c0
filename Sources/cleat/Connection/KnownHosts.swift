import SystemPackage

/// Adds the new address of a board to the hosts that ssh knows, with the key that the board is known by.
enum KnownHosts {
    /// Adds an address to the user's first file of known hosts (sshd(8), `SSH_KNOWN_HOSTS FILE FORMAT`).
    ///
    /// - Parameters:
    ///   - address: the address, in numbers.
    ///   - name: the name under which the board's key is known.
    ///   - access: how the board was reached.
    /// - Returns: whether it was added; not where it is known already, or nothing is known of the key.
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

    /// The types and keys that a file has for a name; those of authorities and revoked ones are left out.
    private static func keys(of name: String, in file: String) -> [String] {
        let found = HostKeyName.output(of: ["ssh-keygen", "-F", name, "-f", file]) ?? ""
        return keys(in: found)
    }

    /// Reads what `ssh-keygen -F` prints.
    static func keys(in text: String) -> [String] {
        text.split(whereSeparator: \.isNewline).compactMap { line in
            let words = line.split(separator: " ")
            guard words.count >= 3, !line.hasPrefix("#"), !line.hasPrefix("@") else { return nil }
            return "\(words[1]) \(words[2])"
        }
    }
}

extension Session {
    /// Has ssh know the board at the address to which a change has moved it, once that is kept; tells where it does now.
    func rememberAddress() {
        guard case .remote(let access) = destination, let address = access.address,
            case .remote(let home) = following.home
        else { return }
        let name = following.key ?? HostKeyName.find(for: home)
        if KnownHosts.add(address, like: name, for: home) {
            note("\(address) was added to the hosts that ssh knows, with the key of \(name)")
        }
    }
}
