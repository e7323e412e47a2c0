import CleatOrder
import Testing

@Suite struct OrderedTests {
    /// A value with its place before the sort.
    struct Item: Equatable {
        let key: Int
        let place: Int
    }

    @Test("Elements come in order, and equal ones keep theirs", arguments: [0, 1, 2, 3, 16, 17, 100, 1_000, 5_000])
    func stable(count: Int) {
        // Every key comes several times.
        let items = (0..<count).map { Item(key: ($0 * 7_919 + 13) % max(count / 4, 1), place: $0) }
        let ordered = items.ordered { $0.key < $1.key }
        #expect(ordered.map(\.place).sorted() == Array(0..<count), "none is lost, and none comes twice")
        for (one, next) in zip(ordered, ordered.dropFirst()) {
            #expect(one.key < next.key || one.key == next.key && one.place < next.place)
        }
    }

    @Test("Elements that are in order stay as they are, also equal ones; those in the opposite order are reversed")
    func alreadyInOrder() {
        let items = (0..<100).map { Item(key: $0 / 3, place: $0) }
        #expect(items.ordered { $0.key < $1.key } == items)
        let same = (0..<100).map { Item(key: 1, place: $0) }
        #expect(same.ordered { $0.key < $1.key } == same)
        #expect(same.ordered { $0.key > $1.key } == same)
        #expect(Array(0..<100).reversed().ordered(by: <) == Array(0..<100))
    }

    @Test("The members of a dictionary and of a set come in the order of their names")
    func unordered() {
        let names = ["eth1", "wlan0", "eth0", "lo", "br0"]
        let members = Dictionary(uniqueKeysWithValues: names.map { ($0, $0.count) })
        #expect(members.ordered { $0.key < $1.key }.map(\.key) == ["br0", "eth0", "eth1", "lo", "wlan0"])
        #expect(members.ordered { $0.key < $1.key }.map(\.value) == [3, 4, 4, 2, 5])
        #expect(Set(names).ordered(by: >) == ["wlan0", "lo", "eth1", "eth0", "br0"])
    }
}
