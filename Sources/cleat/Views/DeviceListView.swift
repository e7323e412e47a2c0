import CleatAPI
import CleatJSON

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
