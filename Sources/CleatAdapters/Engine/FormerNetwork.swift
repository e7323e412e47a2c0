/// The configuration of interfaces by a network service that no longer runs the network.
///
/// If the network service of a board was replaced, applying the former settings with the new service would be untested.
/// Such settings wait until a user requests them.
struct FormerNetwork {
    /// The adapter of the former service.
    let name: String
    /// The adapters of all services that configured interfaces before, and do not run the network now.
    let adapters: Set<String>
    /// The resources that were never applied with the present service.
    let held: Set<Resource>
    /// The interfaces of those resources.
    let heldInterfaces: Set<String>
    /// True if there are settings that no present adapter follows.
    let isUnfollowed: Bool

    /// Returns true if the files of the former service are kept, since settings still wait for a request.
    func stays(_ occasion: Reconciliation.Occasion) -> Bool {
        isUnfollowed || held.contains { !occasion.repairs($0) }
    }
}
