package import CleatSandbox

/// The first line of files that Cleat writes as a whole and owns.
///
/// If the store does not know such a file, its store was lost, as with an overlay of `/etc` that outlives `/var`. The
/// content from before Cleat is unknown then.
enum WrittenByCleat {
    /// The start of the line, followed by the setting that the file is made from.
    static let mark = "# Written by Cleat from "
}

extension Memento {
    /// The state to restore when nothing wants the resource any more: absence, if Cleat itself had written the file.
    ///
    /// Files of templates are excluded: the manufacturer's template may begin with the same text.
    package var asOrigin: Memento {
        guard !adapter.hasPrefix(TemplateAdapter.prefix), case .file(let file) = content,
            file.begins(with: WrittenByCleat.mark)
        else { return self }
        return Memento(adapter: adapter, resource: resource, content: .file(file.absence))
    }
}

extension AdapterSet {
    /// The files of the built-in adapters.
    package var builtIn: [ManagedFileDeclaration] {
        adapters.filter { !($0 is TemplateAdapter) }.flatMap(\.files)
    }
}

extension SystemResources {
    /// Returns the files with Cleat's first line; files that cannot be read are omitted.
    ///
    /// - Parameter declared: the declarations of possible files.
    /// - Returns: their resources, sorted.
    package func filesOfCleat(_ declared: [ManagedFileDeclaration]) -> [Resource] {
        var found: [String] = []
        for declaration in declared where !declaration.isLink {
            let paths = (try? files.paths(of: declaration)) ?? []
            found += paths.filter { (try? files.capture($0))?.begins(with: WrittenByCleat.mark) ?? false }
        }
        return found.sorted().map { .file($0) }
    }
}
