import Cleat
import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension SettingKey<Int> {
    static var exposure: Self { .init("shutter/exposure", default: 10, .range(1...1000), .title("Exposure in ms")) }
}

/// Follows `shutter/exposure` in the service's transactions: `shutter DIRECTORY`, started by the service for a
/// file of `adapters.d`.
///
/// The register of a device is played by the file `register`, whose content is the exposure.
@main
struct Shutter: SettingsAdapter {
    static let keys = SettingKeys(title: "Shutter", .exposure)
    /// The longest exposure that this device can do.
    static let longest = 500

    let device: Sandbox

    static func main() async {
        keys.handleSchemaOption()
        guard let directory = CommandLine.arguments.dropFirst().first else {
            end("name the directory of the register", 64)
        }
        do {
            try await Shutter(device: try await Sandbox.open(at: directory)).serve()
        } catch {
            end("\(error)", 1)
        }
    }

    /// Ends the program; its standard output carries answers, so errors go to standard error.
    static func end(_ error: String, _ status: Int32) -> Never {
        _ = try? FileDescriptor.standardError.writeAll("shutter: \(error)\n".utf8)
        exit(status)
    }

    func check(_ settings: SettingsView) async throws {
        guard settings[.exposure] > Self.longest else { return }
        throw AdapterRefusal(.exposure, "is longer than this device can do; use at most \(Self.longest)")
    }

    func capture() async throws -> [UInt8] { try await device.read("register") }

    func apply(_ settings: SettingsView) async throws { try await restore(Array("\(settings[.exposure])\n".utf8)) }

    func restore(_ state: [UInt8]) async throws { try await device.write(state, to: "register") }

    func holds(_ settings: SettingsView) async throws -> Bool? {
        try await capture() == Array("\(settings[.exposure])\n".utf8)
    }
}
