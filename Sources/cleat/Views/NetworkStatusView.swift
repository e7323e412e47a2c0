import CleatAPI
import CleatJSON
import CleatViews

/// Prints the service that configures the network, and the files of interfaces: the output of `cleat status network`.
struct NetworkStatusView: TablePresentable, JSONPresentable {
    var reply: SystemInterface.Network.Reply

    var columns: [String] { ["INTERFACE", "SERVICE", "BY", "FILE"] }

    var rows: [[TextSpan]] {
        reply.interfaces.map { link in
            let isOthers = !link.managed && link.source != nil
            return [
                TextSpan(link.name, .name), TextSpan(link.managed || isOthers ? service : "-"),
                TextSpan(link.managed ? "Cleat" : isOthers ? "others" : "-", link.managed ? .strong : .plain),
                TextSpan(link.source ?? "-", .faint),
            ]
        }
    }

    /// The service's own name.
    private var service: String {
        switch reply.service {
        case "networkd"?: "systemd-networkd"
        case "networkmanager"?: "NetworkManager"
        case "interfaces"?: "kernel"
        case let other: other ?? "-"
        }
    }

    var notes: [TextSpan] { [TextSpan("interfaces are configured by: \(service)")] }

    var emptyNote: String { "no interface but the loopback one" }

    var json: JSONValue { JSONValue(showing: reply) }

    var jsonLines: [JSONValue] { reply.interfaces.map { JSONValue(showing: $0) } }
}
