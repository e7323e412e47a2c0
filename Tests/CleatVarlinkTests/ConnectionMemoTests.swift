import CleatVarlink
import Testing

@Suite struct ConnectionMemoTests {
    @Test("A value is found out once, also if there is none")
    func once() {
        for found in [nil, 7] as [Int?] {
            let memo = ConnectionMemo()
            var count = 0
            for _ in 0..<3 {
                let value: Int? = memo.value {
                    count += 1
                    return found
                }
                #expect(value == found)
            }
            #expect(count == 1)
        }
    }
}
