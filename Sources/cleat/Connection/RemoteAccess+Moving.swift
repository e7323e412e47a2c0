extension RemoteAccess {
    /// The same board at another address, with the same user, port, keys and way there.
    ///
    /// Only a key that is known counts, under the name that the host has had: nobody is asked, and no other board is taken
    /// for this one. A connection that ssh shares in the background is not used: it leads to the former address.
    ///
    /// - Parameters:
    ///   - address: the address, in numbers.
    ///   - key: the name under which the host's key is known.
    /// - Returns: the way there.
    func moved(to address: String, key: String) -> RemoteAccess {
        var access = watched
        access.options += [
            "HostName=\(address)", "HostKeyAlias=\(key)", "StrictHostKeyChecking=yes", "CheckHostIP=no",
            "ControlPath=none",
        ]
        access.address = address
        access.patience = 10
        access.passesOnComplaints = false
        return access
    }

    /// The same once more, past a connection that is shared in the background: that one may be dead.
    var renewed: RemoteAccess {
        var access = watched
        access.options.append("ControlPath=none")
        access.passesOnComplaints = false
        return access
    }
}
