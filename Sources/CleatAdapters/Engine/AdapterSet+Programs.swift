extension AdapterSet {
    /// The adapters by the time that their work takes.
    package enum Scope: Hashable, Sendable {
        /// All adapters.
        case all
        /// All but those of programs, which may take long.
        case withoutPrograms
        /// Only those of programs: these, or all of them.
        case programs(only: Set<Resource>?)

        /// Returns true if the resource belongs to one of the adapters.
        package func includes(_ resource: Resource) -> Bool {
            switch self {
            case .all: true
            case .withoutPrograms: !resource.isProgram
            case .programs(let only): resource.isProgram && only?.contains(resource) ?? true
            }
        }
    }

    /// Returns only the adapters of a scope.
    package func only(_ scope: Scope) -> AdapterSet {
        if scope == .all { return self }
        var set = AdapterSet(
            adapters.filter { adapter in
                guard let program = adapter as? ProgramAdapter else { return scope == .withoutPrograms }
                return scope.includes(program.resource)
            })
        set.heldInterfaces = heldInterfaces
        return set
    }

    /// The programs of the adapters, by their names.
    package var programs: [String: any AdapterProgram] {
        Dictionary(adapters.compactMap { $0 as? ProgramAdapter }.map { ($0.programName, $0.program) }) { first, _ in
            first
        }
    }
}
