internal import CLinux
internal import SystemPackage

extension Kernel {
    static func icmpSocket(_ address: [UInt8], isRaw: Bool) throws(Errno) -> Int32 {
        try check(clinux_reach_icmp(address.count, isRaw ? 1 : 0))
    }
    static func tcpSocket(_ address: [UInt8]) throws(Errno) -> Int32 { try check(clinux_reach_tcp(address.count)) }

    /// Starts to connect; returns false if the connection is still in progress (`EINPROGRESS`).
    static func connect(_ fd: Int32, to address: [UInt8], zone: String?, port: UInt16) throws(Errno) -> Bool {
        let result = unsafe address.withUnsafeBufferPointer { bytes -> Int32 in
            guard let zone else { return unsafe clinux_reach_connect(fd, bytes.baseAddress, bytes.count, nil, port) }
            return unsafe zone.withCString {
                unsafe clinux_reach_connect(fd, bytes.baseAddress, bytes.count, $0, port)
            }
        }
        do throws(Errno) {
            try check(result)
            return true
        } catch {
            guard error == .nowInProgress else { throw error }
            return false
        }
    }

    /// Throws the error with which a connection attempt failed, if any (`SO_ERROR`).
    static func checkConnection(_ fd: Int32) throws(Errno) { try check(clinux_reach_error(fd)) }
}
