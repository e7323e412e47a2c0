import CleatIO

extension Worker {
    /// Runs work about many settings on the thread, so that others are answered meanwhile; work about few runs at once.
    ///
    /// - Parameters:
    ///   - count: The number of settings.
    ///   - body: The work.
    /// - Returns: The result of the work.
    /// - Throws: As ``run(_:)`` does.
    func run<T: Sendable>(about count: Int, _ body: @escaping @Sendable () throws -> T) async throws -> T {
        try count > Self.many ? await run(body) : body()
    }

    /// The number of settings from which on others would wait too long: about a third of a millisecond.
    static let many = 500
}
