package import SystemPackage

/// Notifies the service manager of the service's state. `sd_notify(3)`
///
/// Without `$NOTIFY_SOCKET` every call does nothing. A message that cannot be sent is dropped; the service continues.
package struct Notify: Sendable {
    private let address: String?

    /// The watchdog timeout, after which a silent service counts as failed; nil if the watchdog is off.
    package let watchdogInterval: Duration?

    /// Reads `NOTIFY_SOCKET`, `WATCHDOG_USEC` and `WATCHDOG_PID`.
    package init() {
        self.init(
            socket: Environment.value("NOTIFY_SOCKET"), watchdogMicroseconds: Environment.value("WATCHDOG_USEC"),
            watchdogPID: Environment.value("WATCHDOG_PID"), pid: ProcessSelf.pid)
    }

    /// Makes a notifier for a socket: a path, or `@name` in the abstract namespace.
    package init(socket: String?, watchdogMicroseconds: String? = nil, watchdogPID: String? = nil, pid: Int32 = 0) {
        address = socket.flatMap { $0.hasPrefix("/") || $0.hasPrefix("@") ? $0 : nil }
        let isMeant = watchdogPID.map { Int32($0) == pid } ?? true
        watchdogInterval =
            isMeant ? watchdogMicroseconds.flatMap { Int64($0) }.flatMap { $0 > 0 ? .microseconds($0) : nil } : nil
    }

    /// True if a notification socket is set.
    package var isActive: Bool { address != nil }

    /// Notifies the manager that the service has started or reloaded.
    package func ready(status: String? = nil) { send("READY=1" + line(status)) }

    /// Notifies the manager that the service reloads its configuration; ``ready(status:)`` ends the reload.
    package func reloading() { send("RELOADING=1\nMONOTONIC_USEC=\(Kernel.monotonicMicroseconds)") }

    /// Notifies the manager that the service is stopping.
    package func stopping() { send("STOPPING=1") }

    /// Sends the watchdog's keep-alive message.
    package func watchdog() { send("WATCHDOG=1") }

    /// Sends a status text.
    package func status(_ text: String) { send(String(line(text).dropFirst())) }

    private func line(_ status: String?) -> String {
        guard let status else { return "" }
        return "\nSTATUS=" + String(status.map { $0.isNewline ? " " : $0 })
    }

    /// Sends variables, one a line; returns false if they could not be sent.
    @discardableResult
    package func send(_ variables: String) -> Bool {
        guard let address else { return false }
        do throws(Errno) {
            try SocketCalls.datagram(Array(variables.utf8), to: address)
            return true
        } catch {
            return false
        }
    }
}

/// Receives the notifications of a service that this process has started.
package final class NotifyListener: Sendable {
    private static let limit = 4_096

    /// The descriptor that is readable when a notification has arrived.
    package let descriptor: Descriptor

    /// Binds a socket to a path, the service's `NOTIFY_SOCKET`.
    package init(_ path: String) throws(Errno) {
        descriptor = Descriptor(owning: try SocketCalls.unixSocket(nonblocking: true, kind: .datagrams))
        try SocketCalls.bind(descriptor.rawValue, to: path)
    }

    /// Reads one notification without waiting; returns true if it reports the service as ready.
    package func isReady() throws(Errno) -> Bool {
        let message = try descriptor.read(upTo: Self.limit) ?? []
        return message.split(separator: UInt8(ascii: "\n")).contains { $0.elementsEqual("READY=1".utf8) }
    }
}
