/// What a command works with: where it prints, and the service that it speaks to.
struct CommandContext {
    let console: Console
    let destination: Destination

    /// Opens a conversation with the service.
    func session() throws(CommandError) -> Session {
        try Session(destination)
    }
}
