import CleatAdapters
import CleatIO
import Logging
import Synchronization

/// The programs that take part in changes; one whose file does not change keeps its process when files are read again.
final class ProgramProcesses: Sendable {
    /// The worker that adapters run on: a program may take long, and delays no other work.
    let worker = Worker(name: "adapters")
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

    /// Returns the adapters of the programs that files name, in their order; the others' processes are ended.
    func adapters(_ files: [ProgramFile], policy: TrustPolicy) -> [any Adapter] {
        let (adapters, left) = processes.withLock { known in
            let present = files.map { file in
                known.first { $0.file == file }
                    ?? ProgramProcess(file, socket: socket, policy: policy, loop: loop, worker: worker, log: log)
            }
            let left = known.filter { process in !present.contains { $0 === process } }
            known = present
            return (present, left)
        }
        if !left.isEmpty {
            loop.task(name: "programs that are left") { [worker] in
                try? await worker.run { for process in left { process.stop() } }
            }
        }
        return adapters.map { process in
            ProgramAdapter(
                process.file.name, process.file.prefixes, callLimit: process.file.timeLimit, program: process)
        }
    }

    /// Ends all processes, and waits for it; nothing is called any more.
    func shutdown() async {
        let processes = processes.withLock { $0 }
        // Without a thread for it the processes end with the service.
        if !processes.isEmpty { try? await worker.run { for process in processes { process.stop() } } }
        worker.shutdown()
    }
}
