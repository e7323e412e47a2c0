/// The input of a trial, besides the change itself.
package struct TrialRequest: Sendable {
    /// The length of the confirm window once everything is applied, in milliseconds; nil if the change is confirmed at
    /// once.
    package var window: Int64?
    /// The former state of each resource, in the order in which the resources are applied.
    package var mementos: [StoredMemento]
    /// The former states of resources that Cleat touches for the first time.
    ///
    /// If the store has an origin of a resource already, that one stays: it is the older one.
    package var origins: [StoredMemento]
    /// The probes that must hold for the trial to be confirmed automatically, at most `StoreLimits.probes`.
    package var probes: [StoredProbe]
    /// The contents of documents that the changes name, as far as the store may not have them yet.
    package var contents: [StoredContent]
    /// True to start a trial even if no setting changes: resources are written again.
    package var mayChangeNothing: Bool

    /// Creates a request from its parts.
    package init(
        window: Int64? = nil, mementos: [StoredMemento] = [], origins: [StoredMemento] = [],
        probes: [StoredProbe] = [], contents: [StoredContent] = [], mayChangeNothing: Bool = false
    ) {
        self.contents = contents
        self.window = window
        self.mementos = mementos
        self.origins = origins
        self.probes = probes
        self.mayChangeNothing = mayChangeNothing
    }
}
