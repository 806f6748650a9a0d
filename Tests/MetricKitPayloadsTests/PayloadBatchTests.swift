import MetricKitPayloads
import Testing

@Suite("A batch of payloads")
struct PayloadBatchTests {
    @Test(
        "has every JSON value",
        arguments: [
            ("{}", ["{}"]), ("[]", []), (" [1, {\"a\": 2}]\n", ["1", "{\"a\": 2}"]),
            ("{\"a\": 1}\n{\"b\": 2}", ["{\"a\": 1}", "{\"b\": 2}"]), ("null", ["null"]),
            ("5", ["5"]),
            ("\"{}\"", ["\"{}\""]), ("null\n{\"a\": 1}", ["null", "{\"a\": 1}"]),
            ("5\n6", ["5", "6"]), ("\u{feff}{}", ["{}"]),
        ])
    func values(text: String, values: [String]) {
        let batch = PayloadBatch(Array(text.utf8))
        #expect(batch.payloads.map { String(decoding: $0, as: UTF8.self) } == values)
        #expect(!batch.isDamaged)
    }

    @Test(
        "is damaged without a complete value",
        arguments: ["", " \n", "hello", "12 apples", "{\"a\"", "[", "[[[]"])
    func damaged(text: String) {
        #expect(PayloadBatch(Array(text.utf8)).isDamaged)
    }

    @Test(
        "is stored as a whole, also without any JSON",
        arguments: [
            ("", []), (" \n", []), ("[]", []), ("hello\n", ["hello"]), ("12 apples", ["12 apples"]),
            ("{\"a\"", ["{\"a\""]), ("[[[]", ["[[[]"]), ("[1, 2]", ["1", "2"]),
            ("[1, 2, 3, {}]", ["1", "2", "3, {}]"]),
        ])
    func parts(text: String, parts: [String]) {
        var limits = PayloadLimits()
        limits.elements = 2
        let batch = PayloadBatch(Array(text.utf8), limits: limits)
        #expect(batch.parts.map { String(decoding: $0, as: UTF8.self) } == parts)
        #expect(batch.isEmpty == text.allSatisfy(\.isWhitespace))
    }
}
