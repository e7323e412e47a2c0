import Cleat

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

// The program's settings: a path, a Swift type and a default for each. A wrong type or a missing default does not
// compile; `connect` checks that the board's schema has the paths.
extension SettingKey<Int> {
    static var brightness: Self { .init("lamp/brightness", default: 80) }
}

extension SettingKey<[String]> {
    static var scenes: Self { .init("lamp/scenes", default: []) }
}

extension SettingKey<String?> {
    static var label: Self { .init("lamp/label") }  // optional: nil if it is unset
}

@main
struct Lamp {
    static func main() async {
        do {
            try await run()
        } catch {
            print("lamp: \(error)")
            exit(1)
        }
    }

    static func run() async throws {
        let cleat = try await Cleat.connect(checking: .brightness, .scenes, .label)

        // One value, and several that belong together.
        print("brightness \(try await cleat[.brightness])")
        let settings = try await cleat.settings()
        print("label \(settings[.label] ?? "none"), \(settings[.scenes].count) scenes")

        // One transaction: all of it, or nothing. It runs again on the new settings if another client commits first.
        try await cleat.edit(comment: "lamp: first start") { settings in
            settings[.label] ?= "desk"
            if !settings[.scenes].contains("evening") { settings[.scenes].append("evening") }
        }

        // The value now, then each new one, across restarts of the service; 0 switches the lamp off.
        for try await brightness in cleat.changes(of: .brightness) {
            print("shining at \(brightness) %")
            if brightness == 0 { break }
        }
    }
}
