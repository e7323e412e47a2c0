internal import SystemPackage

/// Tells the service manager how the service is doing. `sd_notify(3)`
///
/// Without `$NOTIFY_SOCKET` every call does nothing. A message that is not taken is lost: the service goes on.
package struct Notify: Sendable {
    private let address: String?

    /// How often the service manager wants to hear from the service, or it is restarted; nil where it does not.
    package let watchdogInterval: Duration?

    /// Reads `NOTIFY_SOCKET`, `WATCHDOG_USEC` and `WATCHDOG_PID`.
    package init() {
        self.init(
            socket: Environment.value("NOTIFY_SOCKET"), watchdogMicroseconds: Environment.value("WATCHDOG_USEC"),
            watchdogPID: Environment.value("WATCHDOG_PID"), pid: ProcessSelf.pid)
    }

    /// Makes a notifier for a socket: a path, or `@name` in the abstract space.
    package init(socket: String?, watchdogMicroseconds: String? = nil, watchdogPID: String? = nil, pid: Int32 = 0) {
        address = socket.flatMap { $0.hasPrefix("/") || $0.hasPrefix("@") ? $0 : nil }
        let isMeant = watchdogPID.map { Int32($0) == pid } ?? true
        watchdogInterval =
            isMeant ? watchdogMicroseconds.flatMap { Int64($0) }.flatMap { $0 > 0 ? .microseconds($0) : nil } : nil
    }

    /// Whether somebody listens.
    package var isActive: Bool { address != nil }

    /// Says that the service has started or reloaded.
    package func ready(status: String? = nil) { send("READY=1" + line(status)) }

    /// Says that the service reads its configuration anew; ``ready(status:)`` ends it.
    package func reloading() { send("RELOADING=1\nMONOTONIC_USEC=\(Kernel.monotonicMicroseconds)") }

    /// Says that the service is about to end.
    package func stopping() { send("STOPPING=1") }

    /// Says that the service is alive.
    package func watchdog() { send("WATCHDOG=1") }

    /// Says in words how the service is doing.
    package func status(_ text: String) { send(String(line(text).dropFirst())) }

    private func line(_ status: String?) -> String {
        guard let status else { return "" }
        return "\nSTATUS=" + String(status.map { $0.isNewline ? " " : $0 })
    }

    /// Sends variables, one a line; false where they were not taken.
    @discardableResult
    package func send(_ variables: String) -> Bool {
        guard let address else { return false }
        do throws(Errno) {
            try Kernel.datagram(Array(variables.utf8), to: address)
            return true
        } catch {
            return false
        }
    }
}
