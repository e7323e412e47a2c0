import CleatIO

extension Worker {
    /// Runs work about many settings on the thread, so that others are answered meanwhile; work about few runs at once.
    ///
    /// - Parameters:
    ///   - count: The number of settings.
    ///   - body: The work.
    /// - Returns: The result of the work.
    /// - Throws: The error of the work; `CancellationError` if the call has ended before it began.
    func run<T: Sendable>(about count: Int, _ body: @escaping @Sendable () throws -> T) async throws -> T {
        guard count > Self.many else { return try body() }
        do {
            return try await run(body)
        } catch is WorkerError {
            // Without a thread others wait, but the work is done.
            return try body()
        }
    }

    /// The number of settings from which on others would wait too long: about a third of a millisecond.
    static let many = 500
}
