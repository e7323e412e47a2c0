import CleatIO

/// The remedy if the system does not permit the service an operation.
enum MissingRight {
    /// Returns the remedy.
    ///
    /// - Parameter user: the user of the service; root has every right that nothing outside has removed.
    /// - Returns: the remedy, as the end of a sentence.
    static func remedy(user: UInt32 = ProcessSelf.uid) -> String {
        user == 0
            ? "the service is root: see its unit or container"
            : "start the service as root"
    }
}
