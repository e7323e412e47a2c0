/// The networks that wpa_supplicant is to join with an interface.
package struct SupplicantGoal: Equatable, Sendable {
    /// The directory of the sockets by which wpa_supplicant is controlled, one for each interface.
    static let directory = "/run/wpa_supplicant"
    /// The `id_str` of the networks in Cleat's files.
    static let mark = "cleat"

    /// The interface's name.
    let interface: String
    /// The file that it reads.
    let file: String
    /// The socket by which wpa_supplicant is controlled.
    var socket: String
    /// The number of networks in the file; 0 if Cleat sets none, so that a restored file counts.
    var networks = 0
    /// True if a network is waited for.
    var waits = true
    /// The unit that starts wpa_supplicant for the interface; nil if systemd has none.
    var unit: String?
    /// The link that enables the unit.
    var link = ""

    /// Creates a goal for an interface.
    init(interface: String, file: String) {
        (self.interface, self.file) = (interface, file)
        socket = "\(Self.directory)/\(interface)"
    }

    /// Returns the command that starts or stops the unit; nil if systemd has none.
    func systemctl(_ verb: String) -> ActionCommand? {
        unit.map { unit in
            ActionCommand(
                "\(verb) wpa_supplicant of \(interface)", service: unit, program: "systemctl", [verb, unit],
                needs: "/run/systemd/system")
        }
    }
}
