/// A first-in, first-out queue that allocates nothing once it has grown.
struct JobQueue {
    private var jobs: [UnownedJob] = []
    private var head = 0

    var isEmpty: Bool { head == jobs.count }
    var count: Int { jobs.count - head }

    mutating func append(_ job: UnownedJob) { jobs.append(job) }

    mutating func append(contentsOf other: [UnownedJob]) { jobs.append(contentsOf: other) }

    mutating func popFirst() -> UnownedJob? {
        guard head < jobs.count else { return nil }
        let job = jobs[head]
        head += 1
        if head == jobs.count {
            head = 0
            // The memory of a burst is not kept for ever.
            jobs.removeAll(keepingCapacity: jobs.capacity <= 1024)
        } else if head >= 1024 {
            jobs.removeFirst(head)
            head = 0
        }
        return job
    }
}
