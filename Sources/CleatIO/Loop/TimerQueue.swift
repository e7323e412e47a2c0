/// Identifies one timer; the token is invalid once its timer has fired or was cancelled.
package struct TimerToken: Sendable, Hashable {
    fileprivate var slot: Int
    fileprivate var generation: UInt64
}

/// An indexed binary heap of deadlines: adding, cancelling and removing the first are logarithmic, and a cancelled
/// timer is removed at once.
///
/// Timers with the same deadline fire in the order in which they were added.
struct TimerQueue<Payload> {
    private struct Slot {
        var deadline: Int64
        var generation: UInt64
        var position: Int
        var payload: Payload?
    }

    private var slots: [Slot] = []
    private var free: [Int] = []
    private var heap: [Int] = []
    private var nextGeneration: UInt64 = 0

    var isEmpty: Bool { heap.isEmpty }
    var count: Int { heap.count }

    /// The earliest deadline.
    var first: Int64? { heap.first.map { slots[$0].deadline } }

    mutating func add(deadline: Int64, _ payload: Payload) -> TimerToken {
        nextGeneration &+= 1
        let slot = Slot(deadline: deadline, generation: nextGeneration, position: heap.count, payload: payload)
        let index: Int
        if let reused = free.popLast() {
            index = reused
            slots[index] = slot
        } else {
            index = slots.count
            slots.append(slot)
        }
        heap.append(index)
        siftUp(heap.count - 1)
        return TimerToken(slot: index, generation: nextGeneration)
    }

    /// Removes a timer before its deadline.
    ///
    /// Returns nil if it has already fired or was cancelled.
    @discardableResult
    mutating func cancel(_ token: TimerToken) -> Payload? {
        guard slots.indices.contains(token.slot), slots[token.slot].generation == token.generation,
            slots[token.slot].payload != nil
        else { return nil }
        return remove(at: slots[token.slot].position)
    }

    /// Removes the first timer if its deadline is not after `now`.
    mutating func popFirst(dueBy now: Int64) -> Payload? {
        guard let first, first <= now else { return nil }
        return remove(at: 0)
    }

    private mutating func remove(at position: Int) -> Payload? {
        let index = heap[position]
        let payload = slots[index].payload
        slots[index].payload = nil
        let last = heap.count - 1
        if position != last {
            swap(position, last)
            heap.removeLast()
            siftDown(position)
            siftUp(position)
        } else {
            heap.removeLast()
        }
        if heap.isEmpty {
            slots.removeAll(keepingCapacity: slots.capacity <= 256)
            free.removeAll(keepingCapacity: free.capacity <= 256)
        } else {
            free.append(index)
        }
        return payload
    }

    private func precedes(_ left: Int, _ right: Int) -> Bool {
        let (left, right) = (slots[heap[left]], slots[heap[right]])
        return (left.deadline, left.generation) < (right.deadline, right.generation)
    }

    private mutating func swap(_ left: Int, _ right: Int) {
        heap.swapAt(left, right)
        slots[heap[left]].position = left
        slots[heap[right]].position = right
    }

    private mutating func siftUp(_ start: Int) {
        var child = start
        while child > 0 {
            let parent = (child - 1) / 2
            guard precedes(child, parent) else { return }
            swap(child, parent)
            child = parent
        }
    }

    private mutating func siftDown(_ start: Int) {
        var parent = start
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count && precedes(child, least) {
                least = child
            }
            guard least != parent else { return }
            swap(parent, least)
            parent = least
        }
    }
}
