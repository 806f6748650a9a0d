import ArgumentParser
import Atos
import CallStacks
import FoundationEssentials
import SymbolStores

/// `symbolist atos`: Apple's tool, flag for flag and line for line.
struct AtosCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "atos",
        abstract: "Convert addresses to functions and lines, as Apple's atos does.",
        discussion: """
            Prints a line for each address: the function, the image and the place in its source. \
            What is not found comes out as it went in. Without addresses, those of standard input \
            are answered line by line. Nothing is subtracted from addresses unless asked for.

            Examples:
              symbolist atos -o Orchard.app.dSYM -arch arm64 -l 0x104a2c000 0x104a2fab3
              symbolist atos -o dSYMs/OrchardKit.framework.dSYM -i -offset 0x4170
            """)

    @Option(
        name: [.customShort("o"), .customLong("o")],
        help: ArgumentHelp(
            """
            A dSYM, a debug file or an image, or an identity that --symbols has; may be repeated: \
            the first that holds the address answers.
            """, valueName: "file"), completion: .file())
    var objects: [String] = []

    @Option(
        name: [.customLong("arch", withSingleDash: true), .customLong("arch")],
        help: ArgumentHelp("The slice of a universal file, such as arm64.", valueName: "arch"))
    var architecture: String?

    @Option(
        name: [.customShort("l"), .customLong("l")],
        help: ArgumentHelp("Where the image was loaded, hexadecimal.", valueName: "address"))
    var loadAddress: String?

    @Option(
        name: [.customShort("s"), .customLong("s")],
        help: ArgumentHelp(
            "How much higher the image lay than it was linked, hexadecimal.", valueName: "slide"))
    var slide: String?

    @Flag(
        name: [.customLong("offset", withSingleDash: true), .customLong("offset")],
        help: "Addresses are offsets from the start of the image.")
    var areOffsets = false

    @Flag(
        name: [
            .customShort("i"), .customLong("i"),
            .customLong("inlineFrames", withSingleDash: true), .customLong("inlineFrames"),
        ], help: "Print inlined calls too, innermost first, and the delimiter behind each group.")
    var showsInlinedCalls = false

    @Flag(
        name: [.customLong("fullPath", withSingleDash: true), .customLong("fullPath")],
        help: "Print whole source paths instead of file names.")
    var usesFullPaths = false

    @Option(
        name: [.customShort("d"), .customLong("d"), .customLong("delimiter")],
        help: ArgumentHelp("The line behind each group of inlined calls.", valueName: "text"))
    var delimiter = ""

    @Option(
        name: [.customShort("f"), .customLong("f")],
        help: ArgumentHelp("A file with addresses, apart by white space.", valueName: "file"),
        completion: .file())
    var addressFile: String?

    @Flag(help: "Addresses are return addresses: look at the byte before.")
    var returnAddresses = false

    @OptionGroup var symbols: SymbolOptions

    @OptionGroup var remote: RemoteOptions

    @Flag(
        name: [.customLong("printHeader", withSingleDash: true), .customLong("printHeader")],
        help: "Accepted, without effect.")
    var printsHeader = false

    @Flag(
        name: [.customLong("dedup", withSingleDash: true), .customLong("dedup")],
        help: "Accepted, without effect.")
    var removesDuplicates = false

    @Option(name: [.customShort("p"), .customLong("p")], help: .hidden)
    var process: String?

    @Option(
        name: [
            .customLong("textExecAddress", withSingleDash: true), .customLong("textExecAddress"),
        ], help: .hidden)
    var kernelAddress: String?

    @Argument(help: ArgumentHelp("Decimal, or hexadecimal with 0x.", valueName: "address"))
    var addresses: [String] = []

    func validate() throws {
        if process != nil || kernelAddress != nil {
            throw ValidationError("live processes and kernels are not supported")
        }
        if objects.isEmpty { throw ValidationError("no file given: set -o") }
        let ways = [loadAddress != nil, slide != nil, areOffsets].filter(\.self).count
        if ways > 1 { throw ValidationError("-l, -s and -offset exclude each other: give one") }
        if let text = loadAddress ?? slide, AtosNumber(hexadecimal: text.utf8) == nil {
            throw ValidationError("'\(text)' is no hexadecimal address of at most 64 bits")
        }
    }

    func run() async throws {
        let listed = try addressFile.map { try InputBytes($0).read() } ?? []
        let images = try await AtosImages(objects, architecture: architecture) {
            try symbols.open(nil, remote)
        }
        var run = AtosRun(
            images, placement: placement, movesBack: returnAddresses,
            text: AtosText(
                showsInlinedCalls: showsInlinedCalls, usesFullPaths: usesFullPaths,
                delimiter: delimiter))
        await run.answer(addresses.map { Array($0.utf8)[...] })
        await run.answer(listed.split(whereSeparator: \.isWhiteSpace))
        run.flush()
        if addresses.isEmpty, addressFile == nil { await run.answerStandardInput() }
        if await images.access?.endServers() == true { throw Outcome.serverRefused }
    }

    private var placement: AtosPlacement {
        func number(_ text: String?) -> UInt64? {
            text.flatMap { AtosNumber(hexadecimal: $0.utf8)?.value }
        }
        if areOffsets { return .offsets }
        return number(loadAddress).map { .loaded(at: $0) }
            ?? number(slide).map { .slid(by: $0) } ?? .linked
    }
}

extension AtosCommand {
    /// Arguments as the parser takes them: a delimiter may look like an option, and `--` is one that
    /// people use.
    static func completed(_ arguments: [String]) -> [String] {
        guard arguments.first == configuration.commandName else { return arguments }
        var completed: [String] = []
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument == "-d" || argument == "--d", let delimiter = rest.popFirst() {
                completed.append("--delimiter=\(delimiter)")
            } else {
                completed.append(argument)
            }
        }
        return completed
    }
}
