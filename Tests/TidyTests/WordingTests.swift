import Testing

/// Keeps names that say nothing, and notes for later, out of the sources.
@Suite("Wording")
struct WordingTests {
    static let emptyNames = ["Manager", "Helper", "Utils", "Service", "Impl"]
    static let notes = ["TO" + "DO", "FIX" + "ME", "XX" + "X", "MARK" + ":"]

    @Test("no type is called by a name that says nothing")
    func names() throws {
        for file in try swiftFiles(in: "Sources") where !file.isGenerated {
            for (number, line) in zip(1..., file.lines) where declaresType(line) {
                for name in Self.emptyNames {
                    #expect(!line.contains(name), "\(file.path):\(number) says \(name)")
                }
            }
        }
    }

    @Test("no source leaves a note for later", arguments: ["Sources", "Tests"])
    func notesForLater(folder: String) throws {
        for file in try swiftFiles(in: folder) where !file.isGenerated {
            for (number, line) in zip(1..., file.lines) {
                for note in Self.notes {
                    #expect(!line.contains(note), "\(file.path):\(number) says \(note)")
                }
            }
        }
    }

    private func declaresType(_ line: Substring) -> Bool {
        let words = line.prefix { $0 != "{" && $0 != ":" }.split(separator: " ")
        return words.contains { ["struct", "class", "enum", "protocol", "actor"].contains($0) }
            && !line.contains("//")
    }
}
