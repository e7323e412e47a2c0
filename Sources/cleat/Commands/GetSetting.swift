import CleatAPI
import CleatSettings
import CleatViews

/// Reads one path and prints its value; implements `cleat get`, with and without the argument parser.
enum GetSetting {
    static func run(
        _ path: String, reveal: Bool = false, asksForDefault: Bool = false, in context: CommandContext
    ) throws(CommandError) {
        let reply = try context.session().call(
            SettingsInterface.Get.self,
            .init(path: path, reveal: reveal ? true : nil, asksForDefault: asksForDefault ? true : nil))
        let view = SettingView(reply: reply, interactive: context.console.isInteractive)
        if context.console.renderer.form == .text {
            guard reply.setting.value != nil else {
                if reply.setting.secret == true, !asksForDefault,
                    reply.setting.inForce || reply.setting.origin != .schemaDefault
                {
                    throw CommandError(
                        status: .denied, layer: .authorise, code: "Secret",
                        message: "\(path) is set, and is a secret",
                        remedy: "root and the service's own user read it with `cleat get --reveal \(path)`")
                }
                guard reply.leaf else {
                    throw CommandError(
                        status: .failure, layer: .lookup, code: "NoValue",
                        message: asksForDefault
                            ? "\(path) is not a single setting" : "Cleat manages nothing under \(path) yet",
                        remedy:
                            "see the system with `cleat links` and `cleat devices`, and what can be set with `cleat describe \(path)`"
                    )
                }
                let note = reply.note.map { ": \($0)" } ?? ""
                throw CommandError(
                    status: .failure, layer: .lookup, code: "NoValue",
                    message: asksForDefault ? "\(path) has no default" : "\(path) is not set\(note)",
                    remedy: asksForDefault ? nil : "the system's own value: `cleat get --live \(path)`")
            }
            if let raw = view.raw {
                try context.console.write(raw)
                return
            }
        }
        try context.console.show(view)
    }
}
