import Cleat

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

// The program's settings: a path, a Swift type and a default for each. A wrong type or a missing default does not
// compile. The schema of the board is made from them: `lamp --cleat-schema > /etc/cleat/schema.d/lamp.json`.
extension SettingKey<Int> {
    static var brightness: Self {
        .init(
            "lamp/brightness", default: 80, .title("Brightness"), .description("The brightness; 0 is off."),
            .range(0...100), .unit("%"))
    }
}

extension SettingKey<Duration> {
    static var fade: Self {
        .init(
            "lamp/fade", default: .seconds(1), .title("Fade"),
            .description("The time from one brightness to the next."), .range(.zero ... .seconds(60)))
    }
}

extension SettingKey<[String]> {
    static var scenes: Self {
        .init(
            "lamp/scenes", default: [], .title("Scenes"),
            .description("The scenes that the lamp's button selects, in this order."), .items(.length(1...)), .unique())
    }
}

extension SettingKey<String?> {
    // Optional: nil if it is unset.
    static var label: Self { .init("lamp/label", .title("Label"), .description("The lamp's name."), .length(...40)) }
}

extension SettingKey<Timestamp?> {
    static var started: Self { .init("lamp/started", .title("Started"), .description("The program's last start.")) }
}

@main
struct Lamp {
    static let settings = SettingKeys(title: "Lamp", .brightness, .fade, .scenes, .label, .started)

    static func main() async {
        settings.handleSchemaOption()  // for `lamp --cleat-schema`: prints the schema and exits
        do {
            try await run()
        } catch {
            print("lamp: \(error)")
            exit(1)
        }
    }

    static func run() async throws {
        let cleat = try await Cleat.connect()
        try await cleat.check(settings)
        // One value, and several that belong together.
        print("brightness \(try await cleat[.brightness])")
        let settings = try await cleat.settings()
        print("label \(settings[.label] ?? "none"), \(settings[.scenes].count) scenes")
        print("fade \(settings[.fade]), last start \(settings[.started]?.description ?? "unknown")")

        // One transaction: all of it, or nothing. It runs again on the new settings if another client commits first.
        try await cleat.edit(comment: "lamp: first start") { settings in
            settings[.label] ?= "desk"
            settings[.started] = .now
            if !settings[.scenes].contains("evening") { settings[.scenes].append("evening") }
        }

        // The value now, then each new one, across restarts of the service; 0 switches the lamp off.
        for try await brightness in cleat.changes(of: .brightness) {
            print("shining at \(brightness) %")
            if brightness == 0 { break }
        }
    }
}
