package import SystemPackage

/// Makes the system calls for values of the running kernel, so that a test can make any of them fail.
package protocol KernelCalls: Sendable {
    /// Reads a file of sysfs or of `/proc/sys`; `improperLink` where it is not one of the kernel's.
    func read(attribute path: String) throws(Errno) -> [UInt8]
    /// Writes a file of sysfs or of `/proc/sys` by one call.
    func write(_ bytes: [UInt8], toAttribute path: String) throws(Errno)
    /// Whether this process may write such a file, found out by opening it.
    func mayWrite(attribute path: String) throws(Errno) -> Bool
    /// Whether everybody may read such a file, by its mode.
    func isPublic(attribute path: String) throws(Errno) -> Bool
    /// Reads the host name (`uname`).
    func hostName() throws(Errno) -> [UInt8]
    /// Sets the host name (`sethostname`).
    func setHostName(_ name: [UInt8]) throws(Errno)
    /// Whether this process may set the host name (`CAP_SYS_ADMIN`, by `capget`).
    func maySetHostName() throws(Errno) -> Bool
    /// Whether this process may change interfaces (`CAP_NET_ADMIN`, by `capget`).
    func mayConfigureNetwork() throws(Errno) -> Bool
    /// Makes one request of rtnetlink.
    ///
    /// - Parameters:
    ///   - request: what is asked for.
    ///   - again: called before a list that changed while it was made is handed over anew.
    ///   - each: called with each object of the answer.
    /// - Returns: why the kernel has refused it; nil where it has not.
    /// - Throws: that it could not be asked, or that its answer makes no sense.
    func exchange(
        _ request: RouteRequest, again: () -> Void, _ each: (ArraySlice<UInt8>) -> Void
    ) throws(Errno) -> RouteRefusal?
}
