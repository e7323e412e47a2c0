internal import CLinux
internal import CleatIO
package import SystemPackage

/// Makes the real system calls.
package struct SystemKernelCalls: KernelCalls {
    /// The maximum number of bytes of a kernel value; sysfs limits them to a page.
    package static let valueLimit = 64 << 10
    /// The number of `CAP_SYS_ADMIN` (capability.h).
    private static let systemAdministration: UInt32 = 21
    /// The number of `CAP_NET_ADMIN`.
    private static let networkAdministration: UInt32 = 12

    /// Creates the calls.
    package init() {}

    /// Reads a file of sysfs or of `/proc/sys`.
    package func read(attribute path: String) throws(Errno) -> [UInt8] {
        let file = try Self.check(unsafe path.withCString { unsafe clinux_adapters_open($0, 0) })
        defer { clinux_adapters_close(file) }
        var buffer = [UInt8](repeating: 0, count: Self.valueLimit + 1)
        let result = unsafe buffer.withUnsafeMutableBytes {
            unsafe clinux_adapters_read(file, $0.baseAddress, $0.count)
        }
        let count = try Self.count(result)
        guard count <= Self.valueLimit else { throw .fileTooLarge }
        return Array(buffer.prefix(count))
    }

    /// Lists the names in a directory of sysfs; none if it does not exist.
    package func names(in directory: String) throws(Errno) -> [String] { try DirectoryNames.list(directory) }

    /// Writes a file of sysfs or of `/proc/sys` by one pwrite(2).
    package func write(_ bytes: [UInt8], toAttribute path: String) throws(Errno) {
        let file = try Self.check(unsafe path.withCString { unsafe clinux_adapters_open($0, 1) })
        defer { clinux_adapters_close(file) }
        let written = try Self.count(
            unsafe bytes.withUnsafeBytes { unsafe clinux_adapters_write(file, $0.baseAddress, $0.count) })
        guard written == bytes.count else { throw .ioError }
    }

    /// Returns true if this process may write a file of sysfs or of `/proc/sys`.
    package func mayWrite(attribute path: String) throws(Errno) -> Bool {
        do throws(Errno) {
            clinux_adapters_close(try Self.check(unsafe path.withCString { unsafe clinux_adapters_open($0, 1) }))
            return true
        } catch {
            if error == .permissionDenied || error == .notPermitted { return false }
            throw error
        }
    }

    /// Returns true if all users may read a file of sysfs or of `/proc/sys`.
    package func isPublic(attribute path: String) throws(Errno) -> Bool {
        try Self.check(unsafe path.withCString { unsafe clinux_adapters_is_public($0) }) == 1
    }

    /// Reads the host name.
    package func hostName() throws(Errno) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 256)
        let result = unsafe buffer.withUnsafeMutableBytes {
            unsafe clinux_adapters_host_name($0.baseAddress?.assumingMemoryBound(to: CChar.self), $0.count)
        }
        return Array(buffer.prefix(try Self.count(result)))
    }

    /// Sets the host name.
    package func setHostName(_ name: [UInt8]) throws(Errno) {
        try Self.check(
            unsafe name.withUnsafeBytes {
                unsafe clinux_adapters_set_host_name($0.baseAddress?.assumingMemoryBound(to: CChar.self), $0.count)
            })
    }

    /// Returns true if this process may set the host name.
    package func maySetHostName() throws(Errno) -> Bool {
        try Self.check(clinux_adapters_has_capability(Self.systemAdministration)) == 1
    }

    /// Returns true if this process may change interfaces.
    package func mayConfigureNetwork() throws(Errno) -> Bool {
        try Self.check(clinux_adapters_has_capability(Self.networkAdministration)) == 1
    }

    /// Reads the country whose rules the radios follow.
    package func regulatoryDomain() throws(Errno) -> String? {
        guard let radio = try RadioSocket() else { return nil }
        defer { radio.close() }
        return try radio.domain()
    }

    /// Sets the country whose rules the radios follow, and waits until the kernel has.
    package func setRegulatoryDomain(_ country: String) throws(Errno) {
        guard let radio = try RadioSocket() else { throw .notSupported }
        defer { radio.close() }
        try radio.set(country)
    }

    /// Sends one request to rtnetlink.
    package func exchange(
        _ request: RouteRequest, again: () -> Void, _ each: (ArraySlice<UInt8>) -> Void
    ) throws(Errno) -> RouteRefusal? {
        try RouteSocket.exchange(request, again: again, each)
    }

    @discardableResult
    private static func check(_ result: Int32) throws(Errno) -> Int32 {
        guard result >= 0 else { throw Errno(rawValue: 0 &- result) }
        return result
    }

    private static func count(_ result: Int) throws(Errno) -> Int {
        guard result >= 0 else { throw Errno(rawValue: Int32(truncatingIfNeeded: 0 &- result)) }
        return result
    }
}
