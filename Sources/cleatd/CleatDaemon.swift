import CleatAgent
import CleatUdev

/// Runs the service, or the relay for remote clients: `cleatd` and `cleatd connect`.
@main struct CleatDaemon {
    static func main() {
        AgentProcess.main(libudev: Libudev.opener)
    }
}
