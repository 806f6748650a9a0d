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
              symbolist lookup --symbols Shop.dSYM CF441AF5-BB7E-3567-8D44-451D69214D92 0x513c
              symbolist lookup --symbols dSYMs < pairs.txt
            """)

    @OptionGroup var symbols: SymbolOptions

    @Argument(help: ArgumentHelp("The UUID or build id of the image.", valueName: "uuid"))
    var image: String?

    @Argument(help: ArgumentHelp("Offsets, decimal or 0x hexadecimal.", valueName: "offset"))
    var offsets: [String] = []

    @Flag(help: "Print a line of JSON for each offset.")
    var json = false

    @Option(help: "When text is styled: always, auto (on a terminal) or never.")
    var color = ColorChoice.auto

    func validate() throws {
        if image != nil, offsets.isEmpty {
            throw ValidationError("no OFFSET given with the UUID")
        }
        if let image, ImageID(image) == nil {
            throw ValidationError("'\(image)' is no UUID or build id")
        }
        if let wrong = offsets.first(where: { ImageOffset(text: $0) == nil }) {
            throw ValidationError("'\(wrong)' is no offset")
        }
    }

    func run() async throws {
        let access = symbols.open()
        var lookup = ExactLookup(provider: access.symbols)
        let isComplete: Bool
        if let image = image.flatMap({ ImageID($0) }) {
            isComplete = await answerArguments(image, in: access.symbols, &lookup)
        } else {
            var lines = PairLines(lookup: lookup)
            isComplete = await lines.answerAll()
        }
        if !isComplete || !access.isComplete { throw Outcome.someFailed }
    }

    /// - Returns: Whether symbols of the image were there.
    private func answerArguments(
        _ image: ImageID, in symbols: LocalSymbols, _ lookup: inout ExactLookup
    ) async -> Bool {
        let text = LookupText(style: color.isOn() ? .terminal : .plain)
        for offset in offsets.compactMap({ ImageOffset(text: $0) }) {
            let (status, frames) = await lookup.answer(image, at: offset)
            let line =
                json
                ? LookupJSON(image, offset).text(frames: frames, status: status) + "\n"
                : text.text(of: offset, frames: frames, status: status)
            Console.result(line)
        }
        guard let problem = await symbols.problem(of: image) else { return true }
        Console.problem(problem)
        return false
    }
}

extension ImageOffset {
    /// Reads `0x513c` or `20796`.
    init?(text: some StringProtocol) {
        let isHexadecimal = text.hasPrefix("0x") || text.hasPrefix("0X")
        let digits = isHexadecimal ? text.dropFirst(2) : text[...]
        guard digits.first?.isHexDigit == true,
            let value = UInt64(digits, radix: isHexadecimal ? 16 : 10)
        else { return nil }
        self.init(value)
    }
}
