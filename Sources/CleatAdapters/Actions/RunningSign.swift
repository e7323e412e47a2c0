internal import CleatIO
internal import CleatSandbox

/// Shows if a service runs on the board.
package struct RunningSign: Equatable, Sendable {
    /// A path that exists while the service runs; some services do not remove it when they end.
    package var path: String
    /// The unit of the service, if systemd started it: `NetworkManager.service`.
    package var unit: String?
    /// The name of the service's process (`/proc/PID/comm`, proc(5)), at most 15 bytes.
    package var process: String?

    /// Creates a sign.
    package init(_ path: String, unit: String? = nil, process: String? = nil) {
        self.path = path
        self.unit = unit
        self.process = process
    }

    /// Returns true if the service runs.
    ///
    /// On a board that systemd has booted, a unit that runs has a control group (systemd.slice(5)); elsewhere the
    /// process is searched for in `/proc`.
    func isPresent(on system: SystemResources) throws(ResourceError) -> Bool {
        guard try system.isThere(path) else { return false }
        if let unit, try system.isThere("/run/systemd/system") {
            for hierarchy in ["", "/systemd", "/unified"] {
                let slice = "/sys/fs/cgroup\(hierarchy)/system.slice"
                if try system.isThere(slice) { return try system.isThere("\(slice)/\(unit)") }
            }
        }
        guard let process, system.isRunning else { return true }
        return ProcessNames.contains(process)
    }
}

extension RunningSign: ExpressibleByStringLiteral {
    /// Creates a sign from a path alone.
    package init(stringLiteral path: String) { self.init(path) }
}
