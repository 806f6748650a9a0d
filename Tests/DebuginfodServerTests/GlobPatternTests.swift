import TestSupport
import Testing

@testable import DebuginfodServer

@Suite("Glob patterns")
struct GlobPatternTests {
    @Test(
        "a pattern matches whole names",
        arguments: [
            ("/usr/bin/*", "/usr/bin/press", true), ("/usr/*", "/usr/bin/press", true),
            ("*.debug", "press.debug", true), ("*.debug", "press.debug.1", false),
            ("press", "press", true), ("press", "/press", false), ("", "", true), ("", "a", false),
            ("?ress", "press", true), ("?ress", "ress", false), ("*", "", true),
            ("[a-p]ress", "press", true), ("[^a-o]ress", "press", true),
            ("[!p]ress", "press", false),
            ("[]p]ress", "press", true), ("[press", "[press", true), ("[a-]x", "-x", true),
            ("a*b*c", "a--b--b--c", true), ("a*b*c", "a--b--b--", false),
        ] as [(String, String, Bool)])
    func matches(pattern: String, name: String, isMatch: Bool) {
        #expect(GlobPattern(pattern).matches(name) == isMatch)
    }

    @Test("a pattern of many stars ends")
    func manyStars() {
        let pattern = GlobPattern(String(repeating: "*a", count: 2_000) + "b")
        #expect(!pattern.matches(String(repeating: "a", count: 4_000)))
    }

    @Test("a match equals that of a recursive search", arguments: UInt64(0)..<200)
    func oracle(seed: UInt64) {
        var numbers = SplitMix64(seed: seed)
        func text(_ letters: [Character], _ count: ClosedRange<Int>) -> String {
            String(
                (0..<Int.random(in: count, using: &numbers)).map { _ in
                    letters.randomElement(using: &numbers) ?? "a"
                })
        }
        let pattern = text(["a", "b", "*", "?"], 0...7)
        let name = text(["a", "b"], 0...9)
        #expect(
            GlobPattern(pattern).matches(name)
                == Self.search(Array(pattern)[...], Array(name)[...]),
            "\(pattern) \(name)")
    }

    private static func search(
        _ pattern: ArraySlice<Character>, _ name: ArraySlice<Character>
    ) -> Bool {
        guard let first = pattern.first else { return name.isEmpty }
        if first == "*" {
            return search(pattern.dropFirst(), name)
                || !name.isEmpty && search(pattern, name.dropFirst())
        }
        guard let letter = name.first, first == "?" || first == letter else { return false }
        return search(pattern.dropFirst(), name.dropFirst())
    }
}
