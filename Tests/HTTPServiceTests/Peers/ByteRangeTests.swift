import TestSupport
import Testing

@testable import HTTPService

@Suite("Byte ranges", .ownThreads)
struct ByteRangeTests {
    @Test(
        "a single range selects positions of the content",
        arguments: [
            ("bytes=0-3", 0..<4), ("bytes=4-", 4..<10), ("bytes=-3", 7..<10),
            ("bytes=8-99", 8..<10),
            ("bytes=-99", 0..<10), ("Bytes=9-9", 9..<10),
        ] as [(String, Range<Int64>)])
    func positions(header: String, range: Range<Int64>) {
        #expect(ByteRange(header: header)?.positions(in: 10) == range)
    }

    @Test("a range after the content has no positions", arguments: ["bytes=10-", "bytes=-0"])
    func unsatisfiable(header: String) throws {
        let range = try #require(ByteRange(header: header))
        #expect(range.positions(in: 10) == nil)
    }

    @Test(
        "a header that is not a single range is ignored",
        arguments: [
            "bytes=0-1,3-4", "bytes=3-1", "bytes=-", "bytes=", "lines=1-2", "bytes=a-b",
            "bytes=+1-2",
            "bytes=99999999999999999999-",
        ])
    func ignored(header: String) {
        #expect(ByteRange(header: header) == nil)
    }
}
