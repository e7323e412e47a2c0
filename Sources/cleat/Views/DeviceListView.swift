import CleatAPI
import CleatJSON
import CleatViews

/// Prints devices: the output of `cleat devices`.
struct DeviceListView: TablePresentable, JSONPresentable {
    var devices: [Device]

    var columns: [String] { ["NAME", "SUBSYSTEM", "DRIVER", "NODE", "DEVPATH"] }

    var rows: [[TextSpan]] {
        devices.map { device in
            [
                TextSpan(device.name, .name), TextSpan(device.subsystem), TextSpan(device.driver ?? "-"),
                TextSpan(device.node ?? "-"), TextSpan(device.devpath, .faint),
            ]
        }
    }

    var emptyNote: String { "no device" }

    var json: JSONValue { ["devices": .array(jsonLines)] }

    var jsonLines: [JSONValue] { devices.map { JSONValue(showing: $0) } }
}

/// Prints network links: the output of `cleat links`.
struct LinkListView: TablePresentable, JSONPresentable {
    var links: [Link]

    var columns: [String] { ["NAME", "STATE", "CARRIER", "MTU", "KIND", "ADDRESS", "GATEWAY", "ADDRESSES"] }

    var rows: [[TextSpan]] {
        links.map { link in
            [
                TextSpan(link.name, .name), TextSpan(link.state, link.up ? .good : .faint),
                TextSpan(link.carrier ? "yes" : "no"), TextSpan("\(link.mtu)"), TextSpan(link.kind ?? link.type),
                TextSpan(link.address ?? "-"),
                TextSpan(Self.gateways(of: link)),
                TextSpan(link.addresses.joined(separator: " ")),
            ]
        }
    }

    private static func gateways(of link: Link) -> String {
        let gateways = (link.routes ?? []).map { $0.gateway ?? "none" }
        return gateways.isEmpty ? "-" : gateways.joined(separator: " ")
    }

    var emptyNote: String { "no link" }

    var json: JSONValue { ["links": .array(jsonLines)] }

    var jsonLines: [JSONValue] { links.map { JSONValue(showing: $0) } }
}
