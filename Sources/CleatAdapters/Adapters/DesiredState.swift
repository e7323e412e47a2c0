package import CleatSettings

/// The state of the system that an adapter wants for some settings, in the order in which it is applied.
package struct DesiredState: Equatable, Sendable {
    /// One resource and its desired state.
    package struct Wanted: Equatable, Sendable {
        /// The resource.
        package let resource: Resource
        /// The desired state.
        package let state: ResourceState
        /// A setting that the resource follows, to name in an error.
        package let path: SettingPath
        /// A resource whose change causes this one to be applied again; nil if there is none.
        package let leader: Resource?
    }

    /// The wanted resources, in the order in which they are applied, each at most once.
    package private(set) var wanted: [Wanted] = []
    /// The reasons why settings cannot be applied; if there is one, nothing is applied.
    package private(set) var problems: [SettingProblem] = []

    /// The places of the resources in ``wanted``, by their canonical names.
    private var places: [Resource: Int] = [:]
    /// The hash values of ``resources``, sorted: most states have nothing in common, which these show at little cost.
    private var hashes: [Int] = []

    /// Notes for users, on settings that nothing supports here.
    package private(set) var notes: [String] = []

    /// Creates a state that wants nothing.
    package init() {}

    /// Returns the desired state of a resource; nil if the resource is not wanted.
    package subscript(resource: Resource) -> ResourceState? {
        place(of: resource).map { wanted[$0].state }
    }

    private func place(of resource: Resource) -> Int? {
        places[resource.canonical].flatMap { wanted[$0].resource == resource ? $0 : nil }
    }

    /// Adds a resource with its desired state.
    ///
    /// A state that does not fit the resource, or a resource that is wanted twice, becomes a problem.
    ///
    /// - Parameters:
    ///   - resource: the resource.
    ///   - state: the desired state.
    ///   - path: a setting that the resource follows.
    ///   - leader: a resource that is applied before, and whose change causes this one to be applied again.
    package mutating func want(
        _ resource: Resource, _ state: ResourceState, for path: SettingPath, after leader: Resource? = nil
    ) {
        guard state.fits(resource) else {
            return refuse(path, "requests an invalid state of \(resource); report this as a fault of the adapter")
        }
        let canonical = resource.canonical
        if let other = places[canonical] {
            return refuse(path, "sets \(resource), which \(wanted[other].path) also sets; unset one of the two")
        }
        places[canonical] = wanted.count
        let hash = canonical.hashValue
        hashes.insert(hash, at: hashes.firstIndex { $0 > hash } ?? hashes.endIndex)
        wanted.append(Wanted(resource: resource, state: state, path: path, leader: leader))
    }

    /// Returns the resources that another state wants, too, by their canonical names.
    func shared(with other: DesiredState) -> Set<Resource> {
        var (index, place) = (0, 0)
        while index < hashes.count, place < other.hashes.count {
            if hashes[index] == other.hashes[place] { return Set(places.keys).intersection(other.places.keys) }
            if hashes[index] < other.hashes[place] { index += 1 } else { place += 1 }
        }
        return []
    }

    /// Replaces the desired state of a resource that is wanted, and the setting that it follows.
    ///
    /// - Returns: false if the resource is not wanted, or the state does not fit it; then nothing has changed.
    mutating func replace(with state: ResourceState, of resource: Resource, for path: SettingPath) -> Bool {
        guard state.fits(resource), let index = place(of: resource) else { return false }
        wanted[index] = Wanted(resource: resource, state: state, path: path, leader: wanted[index].leader)
        return true
    }

    /// The number of bytes of the contents of its files and texts.
    var bytes: Int {
        wanted.reduce(0) { sum, wanted in
            switch wanted.state {
            case .file(let file): sum + file.bytes.count
            case .text(let text): sum + text.utf8.count
            default: sum
            }
        }
    }

    /// Adds a note, a whole sentence, that nothing supports a setting here.
    package mutating func note(_ text: String) { notes.append(text) }

    /// Adds the reason why a setting cannot be applied.
    ///
    /// - Parameters:
    ///   - path: the setting.
    ///   - reason: a sentence that continues after the path, with the remedy; it must not contain a secret.
    package mutating func refuse(_ path: SettingPath, _ reason: String) {
        problems.append(SettingProblem(path: path, value: nil, code: .system, reason: reason))
    }
}
