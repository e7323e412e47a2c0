/// A limit on what a child process may use. `setrlimit(2)`
package struct ResourceLimit: Sendable, Hashable {
    /// The value that means no limit.
    package static let unlimited = UInt64.max

    /// The resource that is limited.
    package let resource: LimitedResource
    /// The limit in force.
    package let soft: UInt64
    /// The ceiling up to which the child may raise the soft limit.
    package let hard: UInt64

    /// Sets both limits to one value.
    package init(_ resource: LimitedResource, _ value: UInt64) { self.init(resource, soft: value, hard: value) }

    /// Sets a limit.
    package init(_ resource: LimitedResource, soft: UInt64, hard: UInt64) {
        self.resource = resource
        self.soft = soft
        self.hard = hard
    }
}
