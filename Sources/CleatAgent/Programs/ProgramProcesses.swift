import CleatAdapters
import CleatIO
import CleatSettings
import Logging
import Synchronization

/// The programs that take part in changes; one whose file does not change keeps its process when files are read again.
final class ProgramProcesses: Sendable {
    /// The worker that adapters run on: a program may take long, and delays no other work.
    let worker = Worker(name: "adapters")
    /// The worker that asks programs whether they answer, and ends their processes, without any lock.
    let probing = Worker(name: "programs")
    private let socket: String
    private let loop: EventLoop
    private let log: Logger
    private let processes = Mutex<[ProgramProcess]>([])

    /// Creates the object; nothing is started.
    init(socket: String, loop: EventLoop, log: Logger) {
        self.socket = socket
        self.loop = loop
        self.log = log
    }

    /// Returns the adapters of the programs that files name, in their order; the others' processes are ended, and idle
    /// ones, so that a program that was replaced is used at once.
    ///
    /// - Parameters:
    ///   - files: The files.
    ///   - schema: The schema in force, which knows secret settings.
    ///   - policy: The policy that decides whose programs are trusted.
    /// - Returns: The adapters.
    func adapters(_ files: [ProgramFile], schema: Schema, policy: TrustPolicy) -> [any Adapter] {
        let (adapters, left) = processes.withLock { known in
            let present = files.map { file in
                let hides = file.prefixes.contains { schema.hides($0) || schema.lookup($0)?.holdsSecrets ?? false }
                return known.first { $0.file == file && $0.hidesWords == hides }
                    ?? ProgramProcess(
                        file, hidesWords: hides, socket: socket, policy: policy, loop: loop, worker: probing, log: log)
            }
            let left = known.filter { process in !present.contains { $0 === process } }
            known = present
            return (present, left)
        }
        for process in left { process.retire() }
        if !adapters.isEmpty || !left.isEmpty {
            loop.task(name: "programs that may be replaced") { [probing] in
                // A process that is called now is ended after the call.
                try? await probing.run { for process in adapters + left { process.stop() } }
            }
        }
        return adapters.map { process in
            ProgramAdapter(
                process.file.name, process.file.prefixes, callLimit: process.file.timeLimit, program: process)
        }
    }

    /// Kills the processes that are still called after a short time: the service ends.
    func end() {
        _ = loop.addTimer(.now().advanced(by: Self.endTime)) {
            for process in self.processes.withLock({ $0 }) { process.shutdown() }
        }
    }

    /// The time that calls have to end after the signal that ends the service.
    private static let endTime = Duration.seconds(2)

    /// Kills all processes, and waits for their end; nothing is called any more.
    func shutdown() async {
        let processes = processes.withLock { $0 }
        for process in processes { process.shutdown() }
        // Without threads for it the processes end with the service.
        if !processes.isEmpty {
            try? await worker.run {}
            try? await probing.run { for process in processes { process.stop() } }
        }
        worker.shutdown()
        probing.shutdown()
    }
}
