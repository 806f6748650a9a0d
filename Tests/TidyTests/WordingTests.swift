import Testing

/// Rules for the names and sentences of the sources.
@Suite("Wording")
struct WordingTests {
    static let emptyNames = ["Manager", "Helper", "Utils", "Service", "Impl"]
    static let notes = ["TO" + "DO", "FIX" + "ME", "XX" + "X", "MARK" + ":"]
    /// Phrases that are typical of sentences that have to be read twice.
    static let bannedPhrases = [
        "whoever", "somebody", "nobody", "anybody", "of which", "as it came", "as they came",
        "told by", "told of", "stands behind", "stand behind", "how far", "lies", "is no",
    ]
    /// Sentences in which a banned phrase is good English.
    static let permittedPhrases = ["is no longer", "there is no"]

    @Test("no type has a meaningless name")
    func names() throws {
        for file in try swiftFiles(in: "Sources") where !file.isGenerated {
            for (number, line) in zip(1..., file.lines) where declaresType(line) {
                // Protocols of other modules may have such names.
                let declared = line.prefix { $0 != ":" }
                for name in Self.emptyNames {
                    #expect(!declared.contains(name), "\(file.path):\(number) says \(name)")
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

    @Test("comments and test names contain no banned phrase", arguments: ["Sources", "Tests"])
    func sentences(folder: String) throws {
        for file in try swiftFiles(in: folder) where !file.isGenerated {
            for sentence in file.sentences {
                for phrase in bannedPhrases(in: sentence.text) {
                    Issue.record("\(file.path):\(sentence.line) says '\(phrase)'")
                }
            }
        }
    }

    @Test(
        "banned phrases are found as whole words, whatever their case and punctuation",
        arguments: [
            ("Whoever asks, waits.", ["whoever"]), ("where it lies.", ["lies"]),
            ("`nil` for what is no number", ["is no"]), ("It is no longer there.", []),
            ("`nil` if there is no image", []), ("relies on supplies", []),
            ("a limit of 1,024, which is low", []),
        ] as [(String, [String])])
    func phrases(text: String, found: [String]) {
        #expect(bannedPhrases(in: text) == found)
    }

    private func bannedPhrases(in text: String) -> [String] {
        let words = text.lowercased().split { !$0.isLetter && !$0.isNumber }.joined(separator: " ")
        let rest = Self.permittedPhrases.reduce(" \(words) ") { text, phrase in
            text.replacing(" \(phrase) ", with: " ")
        }
        return Self.bannedPhrases.filter { rest.contains(" \($0) ") }
    }

    private func declaresType(_ line: Substring) -> Bool {
        let words = line.prefix { $0 != "{" && $0 != ":" }.split(separator: " ")
        return words.contains { ["struct", "class", "enum", "protocol", "actor"].contains($0) }
            && !line.contains("//")
    }
}
