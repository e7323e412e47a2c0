import CleatAPI
import CleatIO
import CleatJSON
import CleatTestSupport
import Testing

extension Board {
    /// Makes the directories of schemas, defaults and locks, the vendor's and the administrator's.
    func makeSourceDirectories() throws {
        for path in ["root/usr/lib", "root/usr/lib/cleat"] {
            try SystemCalls.makeDirectory(directory.appending(path))
        }
        for place in ["root/usr/lib/cleat", "etc"] {
            for name in ["schema.d", "defaults.d", "locks.d"] {
                try SystemCalls.makeDirectory(directory.appending("\(place)/\(name)"))
            }
        }
    }

    /// Writes a file of the vendor: `schema.d/10-a.json`.
    @discardableResult
    func write(vendor name: String, _ text: String) throws -> String {
        try directory.write(text, to: "root/usr/lib/cleat/\(name)")
    }

    /// Writes a file of the administrator: `schema.d/10-a.json`.
    @discardableResult
    func write(admin name: String, _ text: String) throws -> String {
        try directory.write(text, to: "etc/\(name)")
    }
}

extension RunningAgent {
    /// Has the service read its files again, and waits until it has.
    func reload() async throws {
        let before = notifications.count(of: "READY=1")
        Signal.hangUp.send(to: try pid)
        try await board.eventually("the files had been read again") {
            self.notifications.count(of: "READY=1") > before
        }
    }

    /// Returns the findings of the doctor.
    func findings() async throws -> [DoctorFinding] {
        try await call(SettingsInterface.Doctor.self, .init()).findings
    }
}
