import CleatIO
import Testing

@Suite("Random ids")
struct RandomIDTests {
    @Test("have 32 lower-case hexadecimal digits and differ")
    func shape() {
        let ids = (0..<1_000).map { _ in RandomID.make() }
        #expect(Set(ids).count == ids.count)
        #expect(ids.allSatisfy { $0.utf8.count == 32 && $0.allSatisfy("0123456789abcdef".contains) })
    }
}
