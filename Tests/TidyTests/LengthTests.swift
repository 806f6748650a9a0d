import Testing

/// Limits the lengths of files and functions, and the number of files in a folder.
@Suite("Lengths")
struct LengthTests {
    static let fileLimit = 600
    static let folderLimit = 18

    @Test("no file is longer than 600 lines", arguments: ["Sources", "Tests"])
    func files(folder: String) throws {
        for file in try swiftFiles(in: folder) where !file.isGenerated {
            #expect(
                file.lines.count <= Self.fileLimit,
                "\(file.path) has \(file.lines.count) lines: is it two files?")
        }
    }

    @Test("no folder of sources has more than 18 files")
    func folders() throws {
        let files = try swiftFiles(in: "Sources").filter { !$0.isGenerated }
        let folders = Dictionary(grouping: files) {
            $0.path.split(separator: "/").dropLast().joined(separator: "/")
        }
        for (folder, files) in folders {
            #expect(
                files.count <= Self.folderLimit,
                "\(folder) has \(files.count) files: which subfolders does it have?")
        }
    }

    @Test(
        "no function is longer than 40 lines in sources, and 60 in tests",
        arguments: [("Sources", 40), ("Tests", 60)])
    func functions(folder: String, limit: Int) throws {
        for file in try swiftFiles(in: folder) where !file.isGenerated {
            for function in functionLengths(of: file.lines) {
                #expect(
                    function.length <= limit,
                    "\(file.path):\(function.line) has \(function.length) lines: is it two functions?"
                )
            }
        }
    }

    @Test("the length of a function is that of its body")
    func measure() {
        let lines: [Substring] = [
            "    func short() -> Int {", "        1", "    }", "    init(", "        a: Int",
            "    ) {",
            "        self.a = a", "        b = a", "    }",
        ]
        #expect(functionLengths(of: lines).map(\.length) == [1, 2])
        #expect(functionLengths(of: lines).map(\.line) == [1, 4])
    }

    @Test("computed properties and subscripts are measured too, and stored values are not")
    func measureAccessors() {
        let lines: [Substring] = [
            "    private var total: Int {", "        get throws {", "            1", "        }",
            "    }", "    subscript(number: Int) -> Int {", "        number", "    }",
            "    deinit {", "        close()", "    }", "    var stored = make {", "        1",
            "    }",
        ]
        #expect(functionLengths(of: lines).map(\.length) == [3, 1, 1])
    }

    /// The functions, initialisers and computed properties of a formatted file, with the number of
    /// lines in their bodies.
    ///
    /// The formatter puts the closing brace of a body under the first letter of its declaration,
    /// so indentation is enough to find it.
    private func functionLengths(of lines: [Substring]) -> [(line: Int, length: Int)] {
        lines.indices.compactMap { start in
            guard isFunction(lines[start]) else { return nil }
            let indentation = lines[start].prefix { $0 == " " }
            let rest = lines[start...]
            guard
                let open = rest.firstIndex(where: { $0.hasSuffix("{") || $0.hasSuffix("}") }),
                lines[open].hasSuffix("{"),
                let close = lines[open...].dropFirst().firstIndex(of: indentation + "}")
            else { return nil }
            return (start + 1, close - open - 1)
        }
    }

    private func isFunction(_ line: Substring) -> Bool {
        let words = line.split(separator: " ")
        return words.prefix(6).contains { word in
            word == "func" || word == "deinit" || word.hasPrefix("init(")
                || word.hasPrefix("init?(") || word.hasPrefix("init<")
                || word.hasPrefix("subscript(") || word.hasPrefix("subscript<")
                || word == "var" && line.hasSuffix("{") && !line.contains(" = ")
        } && !line.contains("//") && !line.contains("self.init") && !line.contains("super.init")
    }
}
