internal import CleatHash
internal import CleatJSON
import CleatOrder
internal import CleatSandbox
package import CleatSettings

/// Writes the files of the area `documents` that a change of settings includes.
///
/// A setting names a file's content by its SHA-256, so that history, trials and snapshots treat it as any other
/// setting.
package struct DocumentsAdapter: Adapter {
    /// The path of the group of all documents.
    package static let path = BuiltIn.path("documents")
    private static let prefix = "sha256:"

    /// `documents`.
    package let name = "documents"
    /// `documents`.
    package let prefixes = [Self.path]
    /// Thirty seconds: there may be many files, each with its own flushes.
    package var timeLimit: Duration { .seconds(30) }

    /// Creates the adapter.
    package init() {}

    /// Returns the value of the setting for a file with this content.
    package static func value(_ hash: String) -> String { prefix + hash }

    /// Returns the hash that a value of a setting names; nil if the value is not a valid hash.
    package static func hash(_ value: String) -> String? {
        guard value.hasPrefix(prefix) else { return nil }
        let hash = String(value.dropFirst(prefix.count))
        return SHA256.digest(hexadecimal: hash) == nil ? nil : hash
    }

    /// Returns the path of the setting for a document; nil for any other resource.
    package static func setting(of resource: Resource) -> String? {
        guard case .document(let path) = resource else { return nil }
        return (try? SettingPath(segments: Self.path.segments + [path]))?.text
    }

    /// Returns the desired content of each file, as its setting names it.
    package func desired(_ settings: LayeredSettings) -> DesiredState {
        var desired = DesiredState()
        var places: [SandboxPath: SettingPath] = [:]
        for setting in settings.inForce(under: Self.path) {
            guard setting.path != Self.path, let value = setting.value?.stringValue else { continue }
            guard let hash = Self.hash(value) else {
                desired.refuse(setting.path, "names no content; write it as “sha256:” and 64 hexadecimal digits")
                continue
            }
            do throws(SandboxError) {
                let place = try SandboxPath(setting.path.name)
                places[place] = setting.path
                desired.want(.document(place.text), .content(hash), for: setting.path)
            } catch {
                desired.refuse(setting.path, "is not a valid path in the area documents: \(error.reason)")
            }
        }
        for (place, path) in places.ordered(by: { $0.key < $1.key }) {
            var parent = place.parent
            while !parent.isRoot {
                if let other = places[parent] {
                    desired.refuse(path, "needs a directory where \(other) has a file; unset one of the two")
                }
                parent = parent.parent
            }
        }
        return desired
    }

    /// Checks that the area has enough space for the files that the change includes.
    package func check(
        _ settings: LayeredSettings, _ desired: DesiredState, on system: SystemResources
    ) -> [SettingProblem] {
        var desired = desired
        var brought: [(path: String, hash: String, setting: SettingPath)] = []
        for wanted in desired.wanted {
            guard case .document(let path) = wanted.resource, case .content(let hash) = wanted.state,
                system.contents[hash] != nil
            else { continue }
            brought.append((path, hash, wanted.path))
        }
        if let first = brought.first,
            let problem = DocumentResource.spaceProblem(
                of: brought.map { ($0.path, $0.hash) }, on: system)
        {
            desired.refuse(first.setting, "does not fit into the area documents: \(problem)")
        }
        return desired.problems
    }

    /// Returns the SHA-256 of the file's content as the value of its setting.
    package func adopted(_ wanted: DesiredState.Wanted, _ content: [UInt8]) -> String? {
        Self.value(SHA256.hexadecimal(of: content))
    }
}
