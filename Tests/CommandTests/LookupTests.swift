import Foundation
import Glibc
import TestSupport
import Testing

/// `symbolist lookup`, with offsets as arguments and as lines.
@Suite("lookup", .ownThreads)
struct LookupTests {
    let workspace: Workspace
    let symbols = Orchard.absolute(Orchard.symbols)

    init() throws { workspace = try Workspace() }

    @Test("text has the offset and one line per function, inlined ones first")
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

    @Test("everything after -- is an offset")
    func optionsEnd() throws {
        let run = try workspace.symbolist(
            "lookup", "--symbols", symbols, Orchard.kitID, "--", "0x4170")
        #expect(run.text.hasPrefix("0x4170  [inlined] hash_weight"))
        let negative = try workspace.symbolist(
            "lookup", "--symbols", symbols, Orchard.kitID, "--", "-5")
        #expect(negative.status == 2)
        #expect(negative.problems.contains { $0.contains("'-5' is negative") })
    }

    @Test("a line that is too long is refused, because its offset may be incomplete")
    func truncatedLine() throws {
        let blanks = String(repeating: " ", count: 4_096 - Orchard.kitID.utf8.count - 4)
        let run = try workspace.symbolist(
            "lookup", "--symbols", symbols, input: "\(Orchard.kitID)\(blanks)0x4170\n")
        #expect(run.problems.first?.hasPrefix("standard input, line 1: ") == true)
        #expect(run.status == 1)
    }

    @Test("JSON is one object per line with the locations in the debug information")
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
        try #require(frames.map(\.count) == [2, 1, 0])
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
        "a UUID may be in any case, with or without hyphens",
        arguments: [
            Orchard.kitID.lowercased(), Orchard.kitID.replacingOccurrences(of: "-", with: ""),
            "{\(Orchard.kitID)}",
        ])
    func spelling(id: String) throws {
        let run = try workspace.symbolist("lookup", "--symbols", symbols, id, "0X4170")
        #expect(run.status == 0)
        #expect(run.text.contains("hash_row + 136"))
    }

    @Test("a missing image ends with 3")
    func missingImage() throws {
        let id = "11111111-1111-1111-1111-111111111111"
        let run = try workspace.symbolist("lookup", "--symbols", symbols, id, "5")
        #expect(run.status == 3)
        #expect(run.text == "0x5  [no symbols for this image]\n")
        #expect(
            run.problems == [
                "image \(id): not in the given symbols: add its dSYM or debug file with --symbols"
            ])
    }

    @Test(
        "an invalid offset or UUID is wrong usage, even if it looks like an option",
        arguments: [
            ([Orchard.kitID, "-1"], "'-1' is negative: offsets count from the start of the image"),
            ([Orchard.kitID, "5", "-0x10"], "'-0x10' is negative: offsets count from the start"),
            ([Orchard.kitID, "12x"], "'12x' is not an offset of up to 64 bits"),
            ([Orchard.kitID, "5", "--bogus"], "unknown option '--bogus'"),
            (["zz", "5"], "'zz' is not a UUID or build ID in hexadecimal digits"),
        ])
    func usage(arguments: [String], message: String) throws {
        let run = try workspace.shell("symbolist lookup \(arguments.joined(separator: " "))")
        #expect(run.status == 2)
        #expect(run.problems.count == 1)
        #expect(run.problems.first?.contains(message) == true)
        #expect(run.problems.first?.hasSuffix(": see 'symbolist lookup --help'") == true)
    }

    @Test("an offset beyond the image's code differs from one between functions")
    func outsideCode() throws {
        let run = try workspace.symbolist(
            "lookup", "--symbols", symbols, Orchard.kitID, "0xfffffff", "--json")
        #expect(try run.lines().first?["status"] as? String == "not_found")
        let text = try workspace.symbolist(
            "lookup", "--symbols", symbols, Orchard.kitID, "0xfffffff")
        #expect(text.status == 0)
        #expect(text.text == "0xfffffff  [beyond the known code of this image]\n")
    }

    @Test("an offset in an image without symbols is not called beyond its code")
    func strippedImage() throws {
        try workspace.file("stripped", Data(ELFBuilder.library().bytes()))
        let id = "0102030405060708090a0b0c0d0e0f1011121314"
        let run = try workspace.symbolist("lookup", "--symbols", "stripped", id, "0x1010")
        #expect(run.text == "0x1010  [no debug information]\n")
    }

    @Test("results for pairs are in the order of the lines, and invalid lines are named")
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
                "standard input, line 2: is not 'UUID OFFSET': use one pair per line",
                "standard input, line 3: is not 'UUID OFFSET': use one pair per line",
            ])
    }

    @Test("lines with only unknown images, and empty input, end with 3")
    func nothingFound() throws {
        let id = "11111111111111111111111111111111"
        let unknown = try workspace.symbolist("lookup", "--symbols", symbols, input: "\(id) 5\n")
        #expect(unknown.status == 3)
        let none = try workspace.symbolist("lookup", "--symbols", symbols)
        #expect(none.status == 3)
    }

    @Test("the result for a line arrives before the next line is sent")
    func conversation() throws {
        let process = Process()
        let input = Pipe()
        let output = Pipe()
        process.executableURL = executable
        process.arguments = ["lookup", "--symbols", symbols]
        process.environment = workspace.environment()
        process.standardInput = input
        process.standardOutput = output
        // Otherwise writing to a process that has ended would end the tests.
        signal(SIGPIPE, SIG_IGN)
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

    @Test("a line of 10 MB is only an invalid line")
    func longLine() throws {
        let run = try workspace.symbolist(
            "lookup", "--symbols", symbols,
            input: String(repeating: "x", count: 10_000_000) + "\n\(Orchard.kitID) 0x4170\n")
        #expect(run.status == 1)
        #expect(run.problems.count == 1)
        #expect(try run.lines().count == 2)
    }

    @Test("the first results for a large file equal those of its index, in any order of the lines")
    func excerpt() throws {
        try workspace.copy(Orchard.symbols, to: "symbols")
        let files = try workspace.shell(
            "find symbols -path '*/DWARF/*' -type f -exec truncate -s 16M {} +")
        #expect(files.status == 0)
        let other = "4C4C4481-5555-3144-A199-BFCEAE3FE729"
        let lines = ["\(Orchard.kitID) 0x4170", "\(other) 0x4484", "\(Orchard.kitID) 16424"]
        let command =
            "printf '\(lines.joined(separator: "\\n"))\\n' | symbolist lookup --symbols symbols"
        let first = try workspace.shell(command)
        #expect(first.text.contains("hash_row") && first.text.contains("descend"))
        let cache = { try FileManager.default.contentsOfDirectory(atPath: workspace.cache.path) }
        #expect(try cache().filter { $0.hasSuffix(".symidx") } == [])
        #expect(try workspace.shell(command).text == first.text)
        #expect(try cache().filter { $0.hasSuffix(".symidx") }.count == 2)
    }
}
