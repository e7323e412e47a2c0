extension RemoteAccess {
    /// Returns the access to the same board at another address, with the same user, port, keys and proxy.
    ///
    /// Only a known key under the host's former name is accepted: ssh does not ask, and no other board is mistaken for
    /// this one. A shared background connection of ssh is not used, because it leads to the former address.
    ///
    /// - Parameters:
    ///   - address: the numeric address.
    ///   - key: the name under which the host's key is known.
    /// - Returns: the access.
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

    /// The same access without a shared background connection of ssh, which may be dead.
    var renewed: RemoteAccess {
        var access = watched
        access.options.append("ControlPath=none")
        access.passesOnComplaints = false
        return access
    }
}
