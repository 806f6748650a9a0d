import ArgumentParser
import CallStacks
import StackRendering
import SymbolStores
import Symbolication

/// `symbolist lookup`: image-relative offsets, looked up exactly as given.
struct LookupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lookup",
        abstract: "Look up offsets of one image.",
        discussion: """
            Offsets count from the start of the image, in decimal or 0x hexadecimal. Nothing is \
            subtracted from them. Without offsets, lines of 'UUID OFFSET' are read from standard \
            input and each is answered at once by a line of JSON.

            Examples:
              symbolist lookup --symbols dSYMs 4C4C4481-5555-3144-A199-BFCEAE3FE729 0x4484
              symbolist lookup --symbols dSYMs < pairs.txt
            """)

    @OptionGroup var symbols: SymbolOptions

    @OptionGroup var servers: DebuginfodOptions

    @OptionGroup var remote: RemoteOptions

    @Argument(
        help: ArgumentHelp(
            "The UUID or build id of the image, in any case, hyphens or none.", valueName: "uuid"))
    var image: String?

    @Argument(help: ArgumentHelp("Offsets, decimal or 0x hexadecimal.", valueName: "offset"))
    var offsets: [String] = []

    @Flag(help: "Print a line of JSON for each offset.")
    var json = false

    @Option(help: "When text is styled; auto is on a terminal without NO_COLOR.")
    var color = ColorChoice.auto

    func validate() throws {
        if let image, ImageID(image) == nil {
            throw ValidationError("'\(image)' is no UUID or build id")
        }
        if image != nil, offsets.isEmpty {
            throw ValidationError("no OFFSET given with the UUID")
        }
        if let wrong = offsets.first(where: { ImageOffset(text: $0.utf8) == nil }) {
            throw ValidationError("'\(wrong)' is no offset of at most 64 bits")
        }
    }

    func run() async throws {
        let access = try symbols.open(servers, remote)
        access.reportIfNoneGiven()
        var lookup = LookupRun(access, format: format)
        if let image = image.flatMap({ ImageID($0) }) {
            await lookup.answer(image, at: offsets.compactMap { ImageOffset(text: $0.utf8) })
            let isWhole = lookup.foundImage && !lookup.failed
            if !isWhole, !access.isEmpty, let problem = await access.problem(of: image) {
                Console.problem(problem)
            }
        } else {
            await lookup.answerStandardInput()
        }
        if await access.endServers() { throw Outcome.serverRefused }
        if !access.isComplete || lookup.failed { throw Outcome.someFailed }
        if !lookup.foundImage { throw Outcome.nothingFound }
    }

    /// Lines of standard input are always answered in JSON.
    private var format: LookupRun.Format {
        json || image == nil ? .json : .text(LookupText(style: color.isOn() ? .terminal : .plain))
    }
}
