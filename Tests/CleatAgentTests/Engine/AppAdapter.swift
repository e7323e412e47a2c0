import CleatAPI
import CleatAdapters
import CleatHooks
import CleatIO
import CleatJSON
import CleatObservers
import CleatSandbox
import CleatSettings
import CleatStore
import CleatTestSupport
import SystemPackage

/// The settings of an application.
enum AppSettings {
    static let schema = """
        {type: 'object', properties: {app: {type: 'object', properties: {
          value: {type: 'string', default: 'plain'},
          count: {type: 'integer', minimum: 1, maximum: 9},
          names: {type: 'array', items: {type: 'string'}},
          secret: {type: 'string', writeOnly: true},
          secrets: {type: 'array', items: {type: 'string', writeOnly: true}},
          old: {type: 'string', deprecated: true},
          renamed: {type: 'string', 'x-cleat-renamed-from': 'app/former'},
          table: {type: 'object', additionalProperties: {type: 'string'}},
        }}}}
        """
}

/// An adapter that writes one setting to a file, and runs a program that succeeds while a file of the test exists.
struct AppAdapter: Adapter {
    /// The file in the test's directory that the program needs.
    static let needed = "needed"

    let name = "app"
    let prefixes: [SettingPath]
    let files: [ManagedFileDeclaration]
    private let command: ActionCommand

    init(_ directory: TemporaryDirectory) {
        prefixes = [try? SettingPath("app/value")].compactMap(\.self)
        files = [try? ManagedFileDeclaration("/etc/app")].compactMap(\.self)
        command = ActionCommand(
            "reload the application", program: "/usr/bin/test", ["-e", directory.appending(Self.needed)])
    }

    func desired(_ settings: LayeredSettings) -> DesiredState {
        var desired = DesiredState()
        guard let path = prefixes.first, let text = settings.inForce(path)?.stringValue else { return desired }
        desired.want(.file("/etc/app"), .file("\(text)\n"), for: path)
        return desired
    }

    func actions(
        from old: LayeredSettings?, to new: LayeredSettings, changed: Set<Resource>
    ) -> [AdapterAction] {
        changed.isEmpty ? [] : [.command(command)]
    }
}
