import CallStacks
import StackRendering
import SymbolStores
import Symbolication

/// Answers pairs of image and offset one by one, and remembers how it went.
struct LookupRun {
    enum Format {
        case text(LookupText)
        case json
    }

    /// Whether symbols of some image that was asked about were there.
    private(set) var foundImage = false
    /// Whether some line could not be read, or some image's symbols are damaged.
    private(set) var failed = false

    private let symbols: LocalSymbols
    private let format: Format
    private var lookup: ExactLookup

    init(_ symbols: LocalSymbols, format: Format) {
        self.symbols = symbols
        self.format = format
        lookup = ExactLookup(provider: symbols)
    }

    mutating func answer(_ image: ImageID, at offset: ImageOffset) async {
        let (status, frames) = await lookup.answer(
            image, named: symbols.name(of: image), at: offset)
        foundImage = foundImage || status != .missingImage
        failed = failed || status == .corruptIndex
        switch format {
        case .text(let text):
            Console.result(text.text(of: offset, frames: frames, status: status))
        case .json:
            Console.result(LookupJSON(image, offset).text(frames: frames, status: status) + "\n")
        }
    }

    /// Answers each line of `UUID OFFSET` before the next is read, so that a script can keep the
    /// process and talk to it.
    mutating func answerStandardInput() async {
        Console.announceStandardInput(of: "lines of 'UUID OFFSET'")
        var lines = InputLines()
        while let line = lines.next() {
            let words = line.text.split(whereSeparator: \.isWhitespace)
            if words.isEmpty { continue }
            if words.count == 2, let image = ImageID(words[0]),
                let offset = ImageOffset(text: words[1])
            {
                await answer(image, at: offset)
            } else {
                refuse(line.number, image: String(words[0]))
            }
        }
    }

    /// Every line has its answer, or a script that waits for one would wait for ever.
    private mutating func refuse(_ line: Int, image: String) {
        failed = true
        Console.problem("standard input, line \(line): is not 'UUID OFFSET': give one pair a line")
        let status: FrameStatus = ImageID(image) == nil ? .unknownImage : .badOffset
        Console.result(LookupJSON(unreadable: image).text(frames: [], status: status) + "\n")
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
