/// The DHCP client of BusyBox (udhcpc).
enum DHCPClient {
    static let program = "udhcpc"
    /// The scripts that it runs to configure the interface; its build chooses one of them.
    static let scripts = ["/usr/share/udhcpc/default.script", "/etc/udhcpc/default.script"]

    /// Returns words of the command line of a client that Cleat has started for an interface.
    static func words(for interface: String) -> [String] {
        ["-p", "/run/cleat-\(program)-\(interface).pid", "-i", interface]
    }

    /// Returns words of the command line of any client of an interface.
    static func others(of interface: String) -> [String] { ["-i", interface] }

    /// Returns a command that ends when there is a lease, or after three requests; the client then goes on.
    static func command(for interface: String) -> ActionCommand {
        ActionCommand(
            "start the DHCP client of \(interface)", program: program,
            ["-b", "-S", "-t", "3", "-T", "2"] + words(for: interface), subject: interface)
    }
}
