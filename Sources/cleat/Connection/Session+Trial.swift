import CleatAPI

extension Session {
    /// The id that was typed, else that of the change on trial.
    ///
    /// - Throws: where nothing was typed and nothing is on trial.
    func trialID(_ typed: String?) throws(CommandError) -> String {
        if let typed { return typed }
        guard let trial = try call(TransactionsInterface.Pending.self, .init()).trial else {
            throw CommandError(.noTransaction(id: "", message: "no change is on trial"))
        }
        return trial.id
    }
}
