/// Compares texts by the bytes of their UTF-8, without Unicode normalisation.
///
/// `String`'s own comparison holds canonically equivalent texts to be equal; settings must not, since their order and
/// identity are those of the bytes that are stored.
enum ByteOrder {
    static func areEqual(_ left: String, _ right: String) -> Bool {
        left.utf8.elementsEqual(right.utf8)
    }

    static func precedes(_ left: String, _ right: String) -> Bool {
        left.utf8.lexicographicallyPrecedes(right.utf8)
    }
}
