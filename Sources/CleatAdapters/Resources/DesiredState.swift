package import CleatSettings

/// What an adapter wants of the system for some settings, in the order in which it is applied.
package struct DesiredState: Hashable, Sendable {
    /// One resource, and what it shall be.
    package struct Wanted: Hashable, Sendable {
        /// The resource.
        package let resource: Resource
        /// What it shall be.
        package let state: ResourceState
        /// A setting that it follows, to name in an error.
        package let path: SettingPath
        /// A resource whose change takes this one along, so that it is made again what it shall be; nil where it stands by
        /// itself.
        package let leader: Resource?
    }

    /// What is wanted, in the order in which it is applied; no resource stands there twice.
    package private(set) var wanted: [Wanted] = []
    /// Why settings cannot be followed; nothing is applied where there is one.
    package private(set) var problems: [SettingProblem] = []

    /// What people should know: settings that nothing follows here.
    package private(set) var notes: [String] = []

    /// Wants nothing.
    package init() {}

    /// What a resource shall be; nil where nothing is wanted of it.
    package subscript(resource: Resource) -> ResourceState? {
        wanted.first { $0.resource == resource }?.state
    }

    /// Wants a resource to be something.
    ///
    /// What does not fit the resource, or is wanted twice, becomes a problem.
    ///
    /// - Parameters:
    ///   - resource: the resource.
    ///   - state: what it shall be.
    ///   - path: a setting that it follows.
    ///   - leader: a resource that is applied before, and whose change takes this one along.
    package mutating func want(
        _ resource: Resource, _ state: ResourceState, for path: SettingPath, after leader: Resource? = nil
    ) {
        guard state.fits(resource) else {
            return refuse(path, "asks for what \(resource) cannot be; report this as a fault of the adapter")
        }
        if let other = wanted.first(where: { $0.resource == resource }) {
            return refuse(path, "means \(resource), which \(other.path) means too; unset one of the two")
        }
        wanted.append(Wanted(resource: resource, state: state, path: path, leader: leader))
    }

    /// Says that nothing follows a setting here; a whole sentence.
    package mutating func note(_ text: String) { notes.append(text) }

    /// Says why a setting cannot be followed.
    ///
    /// - Parameters:
    ///   - path: the setting.
    ///   - reason: a sentence that goes on after the path, with the remedy; no secret stands in it.
    package mutating func refuse(_ path: SettingPath, _ reason: String) {
        problems.append(SettingProblem(path: path, value: nil, code: .system, reason: reason))
    }
}
