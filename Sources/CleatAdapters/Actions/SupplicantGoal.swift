internal import CleatHash

/// The networks that wpa_supplicant is to join with an interface.
package struct SupplicantGoal: Equatable, Sendable {
    /// The directory of the sockets by which wpa_supplicant is controlled, one for each interface.
    static let directory = "/run/wpa_supplicant"

    /// The interface's name.
    let interface: String
    /// The file that it reads.
    let file: String
    /// The names of the networks (SSID), in the order in which they are tried; empty if those of a restored file count.
    let names: [String]
    /// True if it may have been started just now.
    let isStarting: Bool

    /// The socket by which wpa_supplicant is controlled.
    let socket: String

    /// Creates a goal; the socket is that of the interface unless another one is given.
    init(interface: String, file: String, names: [String], isStarting: Bool, socket: String? = nil) {
        (self.interface, self.file, self.names, self.isStarting) = (interface, file, names, isStarting)
        self.socket = socket ?? "\(Self.directory)/\(interface)"
    }

    /// Returns true if a list of networks, as wpa_supplicant prints it, has these names.
    func isListed(in answer: String) -> Bool {
        let listed = answer.split(separator: "\n").dropFirst().compactMap { line -> String? in
            let columns = line.split(separator: "\t", omittingEmptySubsequences: false)
            return columns.count > 1 ? String(columns[1]) : nil
        }
        return listed.sorted() == names.map(Self.printed).sorted()
    }

    /// Returns a name as wpa_supplicant prints it: other bytes than those of ASCII as `\x` and their digits.
    private static func printed(_ name: String) -> String {
        name.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "\""): "\\\""
            case UInt8(ascii: "\\"): "\\\\"
            case 0x1B: "\\e"
            case UInt8(ascii: "\n"): "\\n"
            case UInt8(ascii: "\r"): "\\r"
            case UInt8(ascii: "\t"): "\\t"
            case 32...126: String(Unicode.Scalar(byte))
            default: "\\x" + Hexadecimal.text(of: [byte])
            }
        }.joined()
    }
}
