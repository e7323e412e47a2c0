extension Sequence {
    /// Returns the elements in the order of a predicate; elements that are equal in it keep their order.
    ///
    /// It does what `sorted(by:)` does, with one sort in the program for all types of elements: the standard library's is
    /// compiled for each type, with 3 KB each. For thousands of elements that is the faster one.
    ///
    /// - Parameter precedes: Returns true if its first argument comes before its second one.
    /// - Returns: The elements in order.
    @inline(never)
    package func ordered(by precedes: (Element, Element) -> Bool) -> [Element] {
        let elements = Array(self)
        if elements.indices.dropFirst().allSatisfy({ !precedes(elements[$0], elements[$0 - 1]) }) { return elements }
        var positions = Array(elements.indices)
        positions.sort { precedes(elements[$0], elements[$1]) }
        return positions.map { elements[$0] }
    }
}
