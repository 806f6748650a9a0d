@testable import ObjectStorage

extension ObjectKey {
    /// Returns a key that a test is sure of.
    static func test(_ text: String) throws -> ObjectKey {
        guard let key = ObjectKey(text) else { throw InvalidTestKey() }
        return key
    }

    private struct InvalidTestKey: Error {}
}
