import CallStacks
import JSONText
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
    private var output = ConsoleStream()
    private var writer = JSONWriter()
    /// The image of the last line: most lines are about the same one as the line before.
    private var last: (text: ArraySlice<UInt8>, image: ImageID)?
    private var named: (image: ImageID, name: String?)?

    init(_ symbols: LocalSymbols, format: Format) {
        self.symbols = symbols
        self.format = format
        lookup = ExactLookup(provider: symbols)
    }

    /// Answers offsets of one image.
    mutating func answer(_ image: ImageID, at offsets: [ImageOffset]) async {
        for offset in offsets { await answer(image, at: offset) }
        output.flush()
    }

    private mutating func answer(_ image: ImageID, at offset: ImageOffset) async {
        let (status, frames) = await lookup.answer(image, named: name(of: image), at: offset)
        foundImage = foundImage || status != .missingImage
        failed = failed || status == .corruptIndex
        switch format {
        case .text(let text):
            output.write(text.text(of: offset, frames: frames, status: status))
        case .json:
            write(LookupJSON(image, offset), frames, status)
        }
    }

    private mutating func name(of image: ImageID) -> String? {
        if let named, named.image == image { return named.name }
        let name = symbols.name(of: image)
        named = (image, name)
        return name
    }

    private mutating func write(
        _ answer: LookupJSON, _ frames: [SymbolicatedFrame], _ status: FrameStatus
    ) {
        writer.removeAll()
        answer.write(frames: frames, status: status, to: &writer)
        output.write(writer.bytes)
        output.write("\n")
    }

    /// Answers lines of `UUID OFFSET`. All that have arrived are answered before more are waited
    /// for, so that a script can keep the process and talk to it.
    mutating func answerStandardInput() async {
        Console.announceStandardInput(of: "lines of 'UUID OFFSET'")
        var lines = InputLines()
        while let line = lines.next(beforeWaiting: { output.flush() }) {
            let words = line.bytes.split { $0 == 0x20 || (0x09...0x0d).contains($0) }
            guard let first = words.first else { continue }
            if words.count == 2, let image = image(first), let offset = ImageOffset(text: words[1])
            {
                await answer(image, at: offset)
            } else {
                refuse(line.number, image: String(decoding: first, as: UTF8.self))
            }
        }
    }

    private mutating func image(_ text: ArraySlice<UInt8>) -> ImageID? {
        if let last, last.text == text { return last.image }
        guard let image = ImageID(String(decoding: text, as: UTF8.self)) else { return nil }
        last = (text, image)
        return image
    }

    /// Every line has its answer, or a script that waits for one would wait for ever.
    private mutating func refuse(_ line: Int, image: String) {
        failed = true
        output.flush()
        Console.problem("standard input, line \(line): is not 'UUID OFFSET': give one pair a line")
        let status: FrameStatus = ImageID(image) == nil ? .unknownImage : .badOffset
        write(LookupJSON(unreadable: image), [], status)
    }
}

extension ImageOffset {
    /// Reads `0x513c` or `20796`.
    init?(text: some Collection<UInt8>) {
        let second = text.dropFirst().first.map { $0 | 0x20 }
        let isHexadecimal = text.first == UInt8(ascii: "0") && second == UInt8(ascii: "x")
        let radix: UInt64 = isHexadecimal ? 16 : 10
        let digits = text.dropFirst(isHexadecimal ? 2 : 0)
        guard !digits.isEmpty else { return nil }
        var value: UInt64 = 0
        for byte in digits {
            guard let digit = Self.digit(byte), digit < radix else { return nil }
            let (product, isTooLarge) = value.multipliedReportingOverflow(by: radix)
            let (sum, overflows) = product.addingReportingOverflow(digit)
            if isTooLarge || overflows { return nil }
            value = sum
        }
        self.init(value)
    }

    private static func digit(_ byte: UInt8) -> UInt64? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt64(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt64(byte - UInt8(ascii: "a") + 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt64(byte - UInt8(ascii: "A") + 10)
        default: nil
        }
    }
}
