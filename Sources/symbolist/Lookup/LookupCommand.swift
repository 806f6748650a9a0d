import ArgumentParser
import CallStacks
import StackRendering
import SymbolStores
import Symbolication

/// `symbolist lookup`: looks up image offsets exactly as given.
struct LookupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lookup",
        abstract: "Look up offsets in an image.",
        discussion: """
            Offsets count from the start of the image, in decimal or 0x hexadecimal, and are looked \
            up exactly as given. Without arguments, reads lines of 'UUID OFFSET' from standard input \
            and prints a line of JSON for each as it arrives.

            Examples:
              symbolist lookup --symbols dSYMs 4C4C4481-5555-3144-A199-BFCEAE3FE729 0x4484
              symbolist lookup --symbols dSYMs < pairs.txt
            """)

    @OptionGroup var symbols: SymbolOptions

    @OptionGroup var servers: DebuginfodOptions

    @OptionGroup var remote: RemoteOptions

    @Argument(
        help: ArgumentHelp(
            "The UUID or build ID of the image, with or without hyphens.", valueName: "uuid"))
    var image: String?

    // Negative numbers look like options, but they get their own error message.
    @Argument(
        parsing: .allUnrecognized,
        help: ArgumentHelp("Offsets, in decimal or 0x hexadecimal.", valueName: "offset"))
    var offsets: [String] = []

    @Flag(help: "Print one line of JSON per offset.")
    var json = false

    @Option(help: "Style text; auto: on terminals without NO_COLOR.")
    var color = ColorChoice.auto

    mutating func validate() throws {
        // Everything after `--` is an offset.
        let optionsEnd = offsets.firstIndex(of: "--")
        if let option = offsets[..<(optionsEnd ?? offsets.endIndex)].first(where: Self.isOption) {
            throw ValidationError("unknown option '\(option)'")
        }
        if let optionsEnd { offsets.remove(at: optionsEnd) }
        if let image, ImageID(image) == nil {
            throw ValidationError(
                "'\(image)' is not a UUID or build ID in hexadecimal digits")
        }
        if image != nil, offsets.isEmpty {
            throw ValidationError("missing OFFSET after the UUID")
        }
        if let wrong = offsets.first(where: { ImageOffset(text: $0.utf8) == nil }) {
            throw ValidationError(
                wrong.hasPrefix("-")
                    ? "'\(wrong)' is negative: offsets count from the start of the image"
                    : "'\(wrong)' is not an offset of up to 64 bits")
        }
    }

    private static func isOption(_ argument: String) -> Bool {
        argument.hasPrefix("-") && argument.dropFirst().first?.isNumber != true
    }

    func run() async throws {
        let access = try symbols.open(servers: servers, remote: remote)
        await access.reportIfNoneGiven()
        var lookup = LookupRun(access, format: format)
        if let image = image.flatMap({ ImageID($0) }) {
            await lookup.lookUp(image, at: offsets.compactMap { ImageOffset(text: $0.utf8) })
            let isWhole = lookup.foundImage && !lookup.failed
            if !isWhole, !access.isEmpty, let problem = await access.problem(of: image) {
                Console.problem(problem)
            }
        } else {
            await lookup.lookUpStandardInput()
        }
        await access.reportMissingFiles()
        if await access.endServers() { throw Outcome.serverRefused }
        if !access.isComplete || lookup.failed { throw Outcome.someFailed }
        if !lookup.foundImage { throw Outcome.nothingFound }
    }

    /// The results for standard input are always in JSON.
    private var format: LookupRun.Format {
        json || image == nil ? .json : .text(LookupText(style: color.isOn() ? .terminal : .plain))
    }
}
