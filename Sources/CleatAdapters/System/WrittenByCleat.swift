package import CleatSandbox

/// The line that files begin with that Cleat writes whole, and has for itself.
///
/// Where the store does not know such a file, the store that it was written from is gone, as with an overlay of `/etc` that
/// outlives `/var`: nobody knows what was there before.
enum WrittenByCleat {
    /// Begins the line; behind it stands what the file is made from.
    static let mark = "# Written by Cleat from "
}

extension Memento {
    /// What is brought back when nothing wants the resource any more: a file that Cleat itself has written was never there.
    ///
    /// The files of templates are the maker's of the board, who may begin them so, too.
    package var asOrigin: Memento {
        guard !adapter.hasPrefix(TemplateAdapter.prefix), case .file(let file) = content,
            file.begins(with: WrittenByCleat.mark)
        else { return self }
        return Memento(adapter: adapter, resource: resource, content: .file(file.absence))
    }
}

extension AdapterSet {
    /// The files of the adapters that Cleat has by itself.
    package var builtIn: [ManagedFileDeclaration] {
        adapters.filter { !($0 is TemplateAdapter) }.flatMap(\.files)
    }
}

extension SystemResources {
    /// Finds the files that say that Cleat has written them; one that cannot be looked at is left out.
    ///
    /// - Parameter declared: where they may be.
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
