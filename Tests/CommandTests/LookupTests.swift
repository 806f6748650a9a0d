import Foundation
import TestSupport
import Testing

/// `symbolist lookup`: exact offsets, as arguments and as lines.
@Suite("lookup")
struct LookupTests {
    let workspace: Workspace
    let symbols = Orchard.absolute(Orchard.symbols)

    init() throws { workspace = try Workspace() }

    @Test("text has the offset and a line a function, inlined ones first")
    func text() throws {
        let run = try workspace.symbolist(
            "lookup", "--symbols", symbols, Orchard.kitID, "0x4170", "16424", "0")
        #expect(run.status == 0)
        #expect(
            run.text == """
                0x4170  [inlined] hash_weight (Index.c:16:28)
                        hash_row + 136 (Index.c:22:13)
                0x4028  descend + 12 (Depth.c:0)
                0x0  [no function at this offset]

                """)
    }

    @Test("JSON is an object a line, and says what the debug information says")
    func json() throws {
        let run = try workspace.symbolist(
            "lookup", "--symbols", symbols, Orchard.kitID, "0x4170", "0x4028", "0", "--json")
        let lines = try run.lines()
        #expect(
            lines.map { $0["status"] as? String } == [
                "symbolicated", "symbol_only", "not_found",
            ])
        #expect(lines.map { $0["uuid"] as? String } == [String](repeating: Orchard.kitID, count: 3))
        #expect(lines.map { $0["offset"] as? Int } == [0x4170, 0x4028, 0])
        let frames = lines.map { $0["frames"] as? [[String: Any]] ?? [] }
        #expect(frames.map(\.count) == [2, 1, 0])
        #expect(frames[0].map { $0["inlined"] as? Bool } == [true, false])
        #expect(frames[0].map { $0["image"] as? String } == ["OrchardKit", "OrchardKit"])
        #expect(frames[1][0]["line"] as? Int == 0)
        #expect(frames[1][0]["approximate"] as? Bool == false)
    }

    @Test("a compiler-generated frame has no file")
    func compilerGenerated() throws {
        let run = try workspace.symbolist(
            "lookup", "--symbols", symbols, "4C4C4481-5555-3144-A199-BFCEAE3FE729", "0x4484",
            "--json")
        let frame = try #require((run.lines().first?["frames"] as? [[String: Any]])?.first)
        #expect(frame["function"] as? String == "Swift runtime failure: Index out of range")
        #expect(frame["compiler_generated"] as? Bool == true)
        #expect(frame["file"] is NSNull)
    }

    @Test(
        "a UUID is read in any case, with hyphens or without",
        arguments: [
            Orchard.kitID.lowercased(), Orchard.kitID.replacingOccurrences(of: "-", with: ""),
            "{\(Orchard.kitID)}",
        ])
    func spelling(id: String) throws {
        let run = try workspace.symbolist("lookup", "--symbols", symbols, id, "0X4170")
        #expect(run.status == 0)
        #expect(run.text.contains("hash_row + 136"))
    }

    @Test("an image that is not among the symbols is nothing found")
    func missingImage() throws {
        let id = "11111111-1111-1111-1111-111111111111"
        let run = try workspace.symbolist("lookup", "--symbols", symbols, id, "5")
        #expect(run.status == 3)
        #expect(run.text == "0x5  [no symbols for this image]\n")
        #expect(
            run.problems == [
                "image \(id): not in the given symbols: give its dSYM or debug file with --symbols"
            ])
    }

    @Test(
        "what is no offset or no UUID says so, also where it looks like an option",
        arguments: [
            ([Orchard.kitID, "-1"], "'-1' is no offset, which counts from the start of the image"),
            ([Orchard.kitID, "5", "-0x10"], "'-0x10' is no offset, which counts from the start"),
            ([Orchard.kitID, "12x"], "'12x' is no offset of at most 64 bits"),
            ([Orchard.kitID, "5", "--bogus"], "unknown option '--bogus'"),
            (["zz", "5"], "'zz' is no UUID or build id, which are hexadecimal digits"),
        ])
    func usage(arguments: [String], message: String) throws {
        let run = try workspace.shell("symbolist lookup \(arguments.joined(separator: " "))")
        #expect(run.status == 2)
        #expect(run.problems.count == 1)
        #expect(run.problems.first?.contains(message) == true)
        #expect(run.problems.first?.hasSuffix(": see 'symbolist lookup --help'") == true)
    }

    @Test("an offset that no code of the image reaches is told from one between functions")
    func outsideCode() throws {
        let run = try workspace.symbolist(
            "lookup", "--symbols", symbols, Orchard.kitID, "0xfffffff", "--json")
        #expect(try run.lines().first?["status"] as? String == "not_found")
        let text = try workspace.symbolist(
            "lookup", "--symbols", symbols, Orchard.kitID, "0xfffffff")
        #expect(text.status == 0)
        #expect(text.text == "0xfffffff  [beyond the known code of this image]\n")
    }

    @Test("lines of pairs are answered in order, and bad ones named")
    func pairs() throws {
        let run = try workspace.symbolist(
            "lookup", "--symbols", symbols,
            input: """
                \(Orchard.kitID) 0x4170
                no pair
                \(Orchard.kitID) 18446744073709551616

                \(Orchard.kitID.lowercased())\t16424\r
                11111111111111111111111111111111 5
                """)
        #expect(run.status == 1)
        #expect(
            try run.lines().map { $0["status"] as? String }
                == [
                    "symbolicated", "unknown_image", "bad_offset", "symbol_only", "missing_image",
                ])
        #expect(
            run.problems == [
                "standard input, line 2: is not 'UUID OFFSET': give one pair a line",
                "standard input, line 3: is not 'UUID OFFSET': give one pair a line",
            ])
    }

    @Test("lines that name only unknown images, and no lines at all, are nothing found")
    func nothingFound() throws {
        let id = "11111111111111111111111111111111"
        let unknown = try workspace.symbolist("lookup", "--symbols", symbols, input: "\(id) 5\n")
        #expect(unknown.status == 3)
        let none = try workspace.symbolist("lookup", "--symbols", symbols)
        #expect(none.status == 3)
    }

    @Test("each line is answered before the next is written")
    func conversation() throws {
        let process = Process()
        let input = Pipe()
        let output = Pipe()
        process.executableURL = executable
        process.arguments = ["lookup", "--symbols", symbols]
        process.environment = workspace.environment()
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        for offset in ["0x4170", "0x4028"] {
            try input.fileHandleForWriting.write(
                contentsOf: Data("\(Orchard.kitID) \(offset)\n".utf8))
            let answer = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
            #expect(answer.hasSuffix("}\n"))
        }
        try input.fileHandleForWriting.close()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }

    @Test("a line of 10 MB is a bad line and nothing worse")
    func longLine() throws {
        let run = try workspace.symbolist(
            "lookup", "--symbols", symbols,
            input: String(repeating: "x", count: 10_000_000) + "\n\(Orchard.kitID) 0x4170\n")
        #expect(run.status == 1)
        #expect(run.problems.count == 1)
        #expect(try run.lines().count == 2)
    }
}
