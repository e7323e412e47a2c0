/// A binary heap of elements, ordered by the instant at which they become due.
struct TimerHeap<Element: Sendable>: Sendable {
    private var items: [(at: Int64, element: Element)] = []

    /// The earliest instant.
    var first: Int64? { items.first?.at }
    var count: Int { items.count }

    mutating func insert(_ element: Element, at instant: Int64) {
        items.append((instant, element))
        var child = items.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard items[child].at < items[parent].at else { break }
            items.swapAt(child, parent)
            child = parent
        }
    }

    /// Removes and returns the earliest element if it is due at the instant.
    mutating func popFirst(before instant: Int64) -> Element? {
        guard let first = items.first, first.at <= instant else { return nil }
        items.swapAt(0, items.count - 1)
        items.removeLast()
        sink(0)
        return first.element
    }

    mutating func removeAll(where condition: (Element) -> Bool) {
        items.removeAll { condition($0.element) }
        for parent in stride(from: items.count / 2 - 1, through: 0, by: -1) { sink(parent) }
    }

    private mutating func sink(_ start: Int) {
        var parent = start
        while true {
            var least = parent
            for child in [parent * 2 + 1, parent * 2 + 2] where child < items.count && items[child].at < items[least].at
            {
                least = child
            }
            guard least != parent else { return }
            items.swapAt(parent, least)
            parent = least
        }
    }
}
