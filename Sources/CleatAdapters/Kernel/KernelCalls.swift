package import SystemPackage

/// The system calls for values of the running kernel; a test can replace them to make any of them fail.
package protocol KernelCalls: Sendable {
    /// Reads a file of sysfs or of `/proc/sys`.
    ///
    /// It throws `improperLink` for a file of another file system, and for one of sysfs outside `/sys/devices`.
    func read(attribute path: String) throws(Errno) -> [UInt8]
    /// Lists the names in a directory of sysfs; none if it does not exist.
    func names(in directory: String) throws(Errno) -> [String]
    /// Writes a file of sysfs or of `/proc/sys` by one pwrite(2).
    func write(_ bytes: [UInt8], toAttribute path: String) throws(Errno)
    /// Returns true if this process may write such a file, found out by opening it.
    func mayWrite(attribute path: String) throws(Errno) -> Bool
    /// Returns true if all users may read such a file, by its mode.
    func isPublic(attribute path: String) throws(Errno) -> Bool
    /// Reads the host name (`uname`).
    func hostName() throws(Errno) -> [UInt8]
    /// Sets the host name (`sethostname`).
    func setHostName(_ name: [UInt8]) throws(Errno)
    /// Returns true if this process may set the host name (`CAP_SYS_ADMIN`, by `capget`).
    func maySetHostName() throws(Errno) -> Bool
    /// Returns true if this process may change interfaces (`CAP_NET_ADMIN`, by `capget`).
    func mayConfigureNetwork() throws(Errno) -> Bool
    /// Reads the country whose rules the radios follow (`NL80211_CMD_GET_REG`): `DE`, or `00` for the rules of the whole
    /// world; nil if this kernel has no Wi-Fi.
    func regulatoryDomain() throws(Errno) -> String?
    /// Sets that country (`NL80211_CMD_REQ_SET_REG`), and waits until the kernel has.
    ///
    /// It throws `timedOut` if the kernel does not take it.
    func setRegulatoryDomain(_ country: String) throws(Errno)
    /// Sends one request to rtnetlink.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - again: called before a list that changed while it was made is passed to `each` again.
    ///   - each: called with each object of the answer.
    /// - Returns: the kernel's refusal; nil if it accepted the request.
    /// - Throws: the error of the socket, or of a malformed answer.
    func exchange(
        _ request: RouteRequest, again: () -> Void, _ each: (ArraySlice<UInt8>) -> Void
    ) throws(Errno) -> RouteRefusal?
}

extension KernelCalls {
    /// Returns nil: no Wi-Fi.
    package func regulatoryDomain() throws(Errno) -> String? { nil }
    /// Refuses every country.
    package func setRegulatoryDomain(_ country: String) throws(Errno) { throw .notSupported }
}
