import CrashFiles
import Testing

@Suite("Edits of a text")
struct EditTests {
    private let text = Array("one two three".utf8)

    private func applied(_ edits: [Edit]) -> String {
        String(decoding: edits.applied(to: text), as: UTF8.self)
    }

    @Test("change what they cover and nothing else, in whatever order they come")
    func order() {
        #expect(applied([Edit(8..<13, "3"), Edit(0..<3, "1")]) == "1 two 3")
        #expect(applied([]) == "one two three")
    }

    @Test("at one place are made in their order")
    func insertions() {
        #expect(applied([Edit(4..<4, "a "), Edit(4..<4, "b ")]) == "one a b two three")
    }

    @Test("that reach into one another or past the end are left out")
    func overlap() {
        #expect(applied([Edit(0..<7, "x"), Edit(4..<7, "y"), Edit(12..<99, "z")]) == "x three")
    }
}
