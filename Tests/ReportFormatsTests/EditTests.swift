import ReportFormats
import Testing

@Suite("Edits")
struct EditTests {
    private let text = Array("one two three".utf8)

    private func applied(_ edits: [Edit]) -> String {
        String(decoding: edits.applied(to: text), as: UTF8.self)
    }

    @Test("edits in any order change their ranges and nothing else")
    func order() {
        #expect(applied([Edit(8..<13, "3"), Edit(0..<3, "1")]) == "1 two 3")
        #expect(applied([]) == "one two three")
    }

    @Test("edits at one position are applied in the given order")
    func insertions() {
        #expect(applied([Edit(4..<4, "a "), Edit(4..<4, "b ")]) == "one a b two three")
    }

    @Test("edits that overlap or reach past the end are dropped")
    func overlap() {
        #expect(applied([Edit(0..<7, "x"), Edit(4..<7, "y"), Edit(12..<99, "z")]) == "x three")
    }
}
