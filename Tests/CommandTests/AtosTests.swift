import Foundation
import Glibc
import TestSupport
import Testing

@testable import symbolist

/// `symbolist atos`, with the flags and output of Apple's tool.
@Suite("atos", .ownThreads)
struct AtosTests {
    let workspace: Workspace
    let kit = Orchard.absolute(Orchard.kit)

    init() throws { workspace = try Workspace() }

    private func atos(_ arguments: String..., input: String = "") throws -> Run {
        try workspace.run(
            executable.path, ["atos"] + arguments, input: input,
            environment: workspace.environment(),
            in: workspace.folder)
    }

    private static let outermost = "hash_row (in OrchardKit) (Index.c:22)\n"
    private static let chain = """
        hash_weight (in OrchardKit) (Index.c:16)
        hash_row (in OrchardKit) (Index.c:22)

        """

    @Test(
        "load address, slide, offset and link address all resolve, in every spelling of the flags",
        arguments: [
            ["-l", "0x104a2c000", "0x104a30170"], ["--l", "104a2c000", "104a30170"],
            ["-l", "0x104a2c000", "4372758896"], ["-s", "104a2c000", "0x104a30170"],
            ["-offset", "0x4170"], ["--offset", "16752"], ["0x4170"],
            ["-arch", "arm64", "-offset", "0x4170"], ["-offset", "0x4170", "-arch", "arm64"],
            ["-printHeader", "-dedup", "-offset", "0x4170"],
            ["--return-addresses", "-offset", "0x4171"],
        ])
    func placement(arguments: [String]) throws {
        let run = try workspace.run(
            executable.path, ["atos", "-o", kit] + arguments, input: "",
            environment: workspace.environment(), in: workspace.folder)
        #expect(run.text == Self.outermost)
        #expect(run.status == 0)
        #expect(run.problems.isEmpty)
    }

    @Test(
        "-i prints inlined calls and a delimiter, which may be dashes",
        arguments: ["-i", "--i", "-inlineFrames", "--inlineFrames"])
    func inlinedCalls(flag: String) throws {
        #expect(try atos("-o", kit, flag, "-offset", "0x4170").text == Self.chain + "\n")
        #expect(
            try atos("-o", kit, flag, "-d", "--", "-offset", "0x4170").text == Self.chain + "--\n")
    }

    @Test("words of standard input are whole, however long their line is")
    func longLine() throws {
        let blanks = String(repeating: " ", count: (1 << 20) - 3)
        let run = try atos("-o", kit, "-offset", input: blanks + "0x4170 0x4170\n0x4170")
        #expect(run.text == Self.outermost + Self.outermost + Self.outermost)
        let zeros = "0x" + String(repeating: "0", count: 5_000) + "4170"
        let long = try atos("-o", kit, "-offset", input: zeros + " 0x4170\n")
        #expect(long.text.hasSuffix("0…\n" + Self.outermost))
    }

    @Test("words are the same wherever the input is divided")
    func dividedWords() {
        let text = Array(" a  bc\tdéf\n\r\ng".utf8)
        for first in 0...text.count {
            for second in first...text.count {
                var words = InputWords()
                let pieces = [text[..<first], text[first..<second], text[second...]]
                var found = pieces.flatMap { words.words(in: Array($0), isLast: false) }
                found += words.words(in: [], isLast: true)
                #expect(
                    found.map { String(decoding: $0, as: UTF8.self) } == ["a", "bc", "déf", "g"])
            }
        }
    }

    @Test("-fullPath prints full paths")
    func fullPath() throws {
        let text = try atos("-o", kit, "-fullPath", "-offset", "0x4170").text
        #expect(text.hasPrefix("hash_row (in OrchardKit) (/"))
        #expect(text.hasSuffix("/Index.c:22)\n"))
    }

    @Test("line 0, addresses without a function, and other words are printed unchanged")
    func unresolved() throws {
        let run = try atos(
            "-o", kit, "-l", "0x104a2c000", "0x104a30028", "0x104a2c010", "0x100", "0", "main",
            "0xffffffffffffffffff")
        #expect(
            run.text == """
                descend (in OrchardKit) (Depth.c:0)
                0x0000000104a2c010 (in OrchardKit)
                0x100
                0
                main
                0xffffffffffffffffff

                """)
        #expect(run.status == 0)
    }

    @Test("a stub has the name of the function that it jumps to")
    func stub() throws {
        let app = Orchard.absolute("\(Orchard.symbols)/Orchard.app/Orchard")
        let run = try atos("-o", app, "-offset", "0x477c", "0x478c")
        #expect(
            run.text == """
                DYLD-STUB$$swift_initStaticObject (in Orchard) + 0
                DYLD-STUB$$ok_press_cider (in Orchard) + 4

                """)
    }

    @Test("-i prints a group for an unresolved address too")
    func unresolvedGroups() throws {
        let run = try atos("-o", kit, "-i", "-l", "0x104a2c000", "0x104a2c010", "0x100")
        #expect(run.text == "\n\n0x100\n\n")
    }

    @Test("addresses in a file may be separated by any white space")
    func addressFile() throws {
        let file = try workspace.file("addresses", text: "0x4170 0x4028\n\n\t0x4170\r\n")
        let run = try atos("-o", kit, "-offset", "-f", file)
        #expect(
            run.text == Self.outermost + "descend (in OrchardKit) (Depth.c:0)\n" + Self.outermost)
    }

    @Test("the result for a line of standard input arrives before the next line is sent")
    func conversation() throws {
        let process = Process()
        let input = Pipe()
        let output = Pipe()
        process.executableURL = executable
        process.arguments = ["atos", "-o", kit, "-offset"]
        process.environment = workspace.environment()
        process.standardInput = input
        process.standardOutput = output
        // Otherwise writing to a process that has ended would end the tests.
        signal(SIGPIPE, SIG_IGN)
        try process.run()
        for (line, answer) in [
            ("0x4170\n", Self.outermost), ("0x4170 hello\n", Self.outermost + "hello\n"),
        ] {
            try input.fileHandleForWriting.write(contentsOf: Data(line.utf8))
            let text = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
            #expect(text == answer)
        }
        try input.fileHandleForWriting.close()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }

    @Test("a universal file resolves with a default slice and a message; -arch chooses another")
    func universal() throws {
        let app = Orchard.absolute(Orchard.universal)
        let guessed = try atos("-o", app, "-offset", "0x10")
        #expect(
            guessed.problems == [
                "\(app): has several slices, using arm64: choose one with -arch"
            ])
        #expect(guessed.text == "0x00000010 (in Orchard)\n")
        let chosen = try atos("-o", app, "-arch", "x86_64", "-offset", "0x10")
        #expect(chosen.problems.isEmpty)
        #expect(chosen.status == 0)
    }

    @Test("the first of several objects that contains the address is used")
    func severalObjects() throws {
        let seeds = Orchard.absolute("Symbols/linux-c-dwarf2/seeds.debug")
        let run = try atos("-o", seeds, "-o", kit, "-offset", "0x10", "0x4170", "0x7fffffffffff")
        #expect(run.text == "0x00000010 (in seeds.debug)\n\(Self.outermost)0x7fffffffffff\n")
    }

    @Test("an object may be a UUID among the symbols")
    func identity() throws {
        let run = try atos(
            "-o", Orchard.kitID, "--symbols", Orchard.absolute(Orchard.symbols), "-offset", "0x4170"
        )
        #expect(run.text == Self.outermost)
    }

    @Test("a file without a UUID is accepted, an unlinked object file is not")
    func noIdentity() throws {
        var library = ELFBuilder.library(buildID: nil)
        library.add([.init("ripen", at: 0x1010, size: 0x10)])
        let path = try workspace.file("lib.so", Data(library.bytes()))
        #expect(try atos("-o", path, "0x1018").text == "ripen (in lib.so) + 8\n")
        library.type = 1
        try workspace.file("lib.o", Data(library.bytes()))
        #expect(try atos("-o", "lib.o", "0x1018").status == 1)
    }

    @Test("a stripped ELF file resolves with the debug file next to it")
    func strippedELF() throws {
        let folder = "Symbols/linux-cpp-gcc-dwarf4"
        let debug = try atos(
            "-o", Orchard.absolute("\(folder)/press.debug"), "-offset", "-i", "0x1300")
        let stripped = try atos(
            "-o", Orchard.absolute("\(folder)/press"), "-offset", "-i", "0x1300")
        #expect(debug.text.contains("(in press.debug) ("))
        #expect(stripped.text == debug.text.replacingOccurrences(of: "press.debug", with: "press"))
    }

    @Test(
        "an unreadable file or a missing slice is reported with Apple's message",
        arguments: [("/nowhere", "arm64"), (Orchard.absolute(Orchard.kit), "armv7")])
    func unreadable(path: String, architecture: String) throws {
        let run = try atos("-o", path, "-arch", architecture, "0x10")
        #expect(run.status == 1)
        #expect(run.text.isEmpty)
        #expect(
            run.problems.first
                == "atos cannot load symbols for the file \(path) for architecture \(architecture)."
        )
    }

    @Test(
        "contradictory arguments are wrong usage",
        arguments: [
            ["-o", "x", "-l", "10", "-offset", "1"], ["-o", "x", "-l", "1", "-s", "1", "1"],
            ["-o", "x", "-l", "zz", "1"], ["1"], ["-p", "1"], ["-o", "x", "-nosuch"],
            ["-textExecAddress", "10", "-o", "x"],
        ])
    func usage(arguments: [String]) throws {
        let run = try workspace.run(
            executable.path, ["atos"] + arguments, input: "", environment: workspace.environment(),
            in: workspace.folder)
        #expect(run.status == 2)
        #expect(run.problems.count == 1)
    }
}
