import ArgumentParser
import Atos
import CallStacks
import FoundationEssentials
import SymbolStores

/// `symbolist atos`: a replacement for Apple's `atos`, with the same flags and output.
struct AtosCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "atos",
        abstract: "Convert addresses to symbols, like Apple's atos.",
        discussion: """
            Prints one line per address: function, image, source file and line. An address that \
            cannot be resolved is printed unchanged. Without addresses, reads them from standard \
            input and responds line by line. Addresses are looked up exactly as given.

            Examples:
              symbolist atos -o Orchard.app.dSYM -arch arm64 -l 0x104a2c000 0x104a2fab3
              symbolist atos -o dSYMs/OrchardKit.framework.dSYM -i -offset 0x4170
            """)

    @Option(
        name: [.customShort("o"), .customLong("o")],
        help: ArgumentHelp(
            """
            A dSYM, debug file or image, a shared cache or a folder that contains one, or a UUID \
            found by --symbols; may be repeated: the first that contains the address is used.
            """, valueName: "file"), completion: .file())
    var objects: [String] = []

    @Option(
        name: [.customLong("arch", withSingleDash: true), .customLong("arch")],
        help: ArgumentHelp("The slice of a universal file, such as arm64.", valueName: "arch"))
    var architecture: String?

    @Option(
        name: [.customShort("l"), .customLong("l")],
        help: ArgumentHelp("The load address of the image, in hexadecimal.", valueName: "address"))
    var loadAddress: String?

    @Option(
        name: [.customShort("s"), .customLong("s")],
        help: ArgumentHelp(
            "The load address minus the link address, in hexadecimal.", valueName: "slide"))
    var slide: String?

    @Flag(
        name: [.customLong("offset", withSingleDash: true), .customLong("offset")],
        help: "Treat addresses as offsets from the start of the image.")
    var areOffsets = false

    @Flag(
        name: [
            .customShort("i"), .customLong("i"),
            .customLong("inlineFrames", withSingleDash: true), .customLong("inlineFrames"),
        ], help: "Print inlined calls, innermost first, and the delimiter after each group.")
    var showsInlinedCalls = false

    @Flag(
        name: [.customLong("fullPath", withSingleDash: true), .customLong("fullPath")],
        help: "Print full source paths instead of file names.")
    var usesFullPaths = false

    @Option(
        name: [.customShort("d"), .customLong("d"), .customLong("delimiter")],
        help: ArgumentHelp("The line after each group of inlined calls.", valueName: "text"))
    var delimiter = ""

    @Option(
        name: [.customShort("f"), .customLong("f")],
        help: ArgumentHelp(
            "Read addresses, separated by white space, from a file.", valueName: "file"),
        completion: .file())
    var addressFile: String?

    @Flag(help: "Treat addresses as return addresses: look up the byte before.")
    var returnAddresses = false

    @OptionGroup var symbols: SymbolOptions

    @OptionGroup var remote: RemoteOptions

    @Flag(
        name: [.customLong("printHeader", withSingleDash: true), .customLong("printHeader")],
        help: "Accepted for compatibility; has no effect.")
    var printsHeader = false

    @Flag(
        name: [.customLong("dedup", withSingleDash: true), .customLong("dedup")],
        help: "Accepted for compatibility; has no effect.")
    var removesDuplicates = false

    @Option(name: [.customShort("p"), .customLong("p")], help: .hidden)
    var process: String?

    @Option(
        name: [
            .customLong("textExecAddress", withSingleDash: true), .customLong("textExecAddress"),
        ], help: .hidden)
    var kernelAddress: String?

    @Argument(help: ArgumentHelp("Addresses, in decimal or 0x hexadecimal.", valueName: "address"))
    var addresses: [String] = []

    func validate() throws {
        if process != nil || kernelAddress != nil {
            throw ValidationError("live processes and kernels are unsupported")
        }
        if objects.isEmpty { throw ValidationError("missing file: set -o") }
        let ways = [loadAddress != nil, slide != nil, areOffsets].filter(\.self).count
        if ways > 1 {
            throw ValidationError("-l, -s and -offset cannot be combined: use one of them")
        }
        if let text = loadAddress ?? slide, AtosNumber(hexadecimal: text.utf8) == nil {
            throw ValidationError("'\(text)' is not a hexadecimal address of up to 64 bits")
        }
    }

    func run() async throws {
        let listed = try addressFile.map { try InputBytes($0).read() } ?? []
        let images = try await AtosImages(objects, architecture: architecture) {
            try symbols.open(remote: remote)
        }
        if images.hasCache, loadAddress != nil || areOffsets {
            throw ValidationError(
                "-l and -offset are for one image: pass its UUID with -o and the cache with --symbols"
            )
        }
        var run = AtosRun(
            images, placement: placement, movesBack: returnAddresses,
            text: AtosText(
                showsInlinedCalls: showsInlinedCalls, usesFullPaths: usesFullPaths,
                delimiter: delimiter))
        await run.lookUp(addresses.map { Array($0.utf8)[...] })
        await run.lookUp(listed.split(whereSeparator: \.isWhiteSpace))
        run.flush()
        if addresses.isEmpty, addressFile == nil { await run.lookUpStandardInput() }
        await images.reportMissingFiles()
        if await images.access?.endServers() == true { throw Outcome.serverRefused }
    }

    private var placement: AtosAddressSpace {
        func number(_ text: String?) -> UInt64? {
            text.flatMap { AtosNumber(hexadecimal: $0.utf8)?.value }
        }
        if areOffsets { return .offsets }
        return number(loadAddress).map { .loaded(at: $0) }
            ?? number(slide).map { .slid(by: $0) } ?? .linked
    }
}

extension AtosCommand {
    /// Returns the arguments in the form that the parser expects. A delimiter may look like an
    /// option; `--` is a common one.
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
