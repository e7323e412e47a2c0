/// Holds what is needed to try a change, besides the change itself.
package struct TrialRequest: Sendable {
    /// How long the trial waits for its confirmation once all is applied, in milliseconds; nil where it is confirmed at
    /// once.
    package var window: Int64?
    /// What each resource was before the trial, in the order in which the resources are applied.
    package var mementos: [StoredMemento]
    /// What resources were that Cleat touches for the first time.
    ///
    /// Where the store has an origin of the resource already, that one stays: it is the older one.
    package var origins: [StoredMemento]
    /// What has to hold for the trial to be confirmed by itself, at most `StoreLimits.probes`.
    package var probes: [StoredProbe]
    /// What documents hold that the changes name, where the store may not have it yet.
    package var contents: [StoredContent]
    /// Whether it is a trial, too, where no setting changes: resources are written anew.
    package var mayChangeNothing: Bool

    /// Takes a window, mementos, origins, probes and contents, and whether there may be no changes.
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
