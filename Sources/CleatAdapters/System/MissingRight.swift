import CleatIO

/// What a person can do where the system does not allow the service something.
enum MissingRight {
    /// Says what to do.
    ///
    /// - Parameter user: who the service runs as; root has every right that nothing outside has taken away.
    /// - Returns: the remedy, as the end of a sentence.
    static func remedy(user: UInt32 = ProcessSelf.uid) -> String {
        user == 0
            ? "the service is root: see its unit or container"
            : "start the service as root"
    }
}
