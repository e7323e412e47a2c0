extension AdapterSet {
    /// The adapters by the time that their work takes.
    package enum Scope: Hashable, Sendable {
        /// All adapters.
        case all
        /// All but those of programs, which may take long.
        case withoutPrograms
        /// Only those of programs.
        case programs

        /// Returns true if the resource belongs to one of the adapters.
        package func includes(_ resource: Resource) -> Bool {
            self == .all || resource.isProgram == (self == .programs)
        }
    }

    /// Returns only the adapters of a scope.
    package func only(_ scope: Scope) -> AdapterSet {
        if scope == .all { return self }
        var set = AdapterSet(adapters.filter { ($0 is ProgramAdapter) == (scope == .programs) })
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
