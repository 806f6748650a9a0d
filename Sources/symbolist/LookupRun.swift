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

    private let access: SymbolAccess
    private let format: Format
    private var lookup: ExactLookup
    private var output = ConsoleStream()
    private var json = LookupJSON()
    private var writer = JSONWriter()
    /// The image of the last question: most are about the same one as the question before.
    private var asked: AskedImage?
    /// What the last line called it.
    private var spelling: ArraySlice<UInt8> = []

    init(_ access: SymbolAccess, format: Format) {
        self.access = access
        self.format = format
        lookup = ExactLookup(provider: access.provider)
    }

    /// Answers offsets of one image.
    mutating func answer(_ image: ImageID, at offsets: [ImageOffset]) async {
        let image = await asked(image)
        await lookup.fetch(image.id, at: offsets)
        for offset in offsets { await answer(image, at: offset) }
        output.flush()
    }

    private mutating func answer(_ image: AskedImage, at offset: ImageOffset) async {
        if let answer = lookup.answerAtOnce(image.id, at: offset) {
            write(answer, named: image.name)
        } else {
            write(await lookup.answer(image.id, at: offset), named: image.name)
        }
    }

    private mutating func write(_ answer: ExactAnswer, named name: String?) {
        foundImage = foundImage || answer.status != .missingImage
        failed = failed || answer.status == .corruptIndex
        switch format {
        case .text(let text):
            let frames = lookup.frames(of: answer, named: name)
            output.write(text.text(of: answer, frames: frames))
        case .json:
            json.learn(names: lookup.names, files: lookup.files)
            json.write(answer, named: name, to: &writer)
            endLine()
        }
    }

    private mutating func endLine() {
        output.write(writer.bytes)
        output.write("\n")
        writer.removeAll()
    }

    /// Answers lines of `UUID OFFSET`. All that have arrived are answered before more are waited
    /// for, so that a script can keep the process and talk to it.
    mutating func answerStandardInput() async {
        Console.announceStandardInput(of: "lines of 'UUID OFFSET'")
        var lines = InputLines()
        while true {
            let arrived = lines.arrived(beforeWaiting: { output.flush() })
            if arrived.isEmpty { return }
            for index in arrived.indices { await answer(arrived[index], before: arrived[index...]) }
        }
    }

    /// - Parameter lines: All that have arrived, from this one on.
    private mutating func answer(
        _ line: InputLines.Line, before lines: ArraySlice<InputLines.Line>
    ) async {
        guard let words = line.bytes.leadingWords else { return }
        guard let offset = words.offset, let image = await image(words.first) else {
            return refuse(line.number, image: String(decoding: words.first, as: UTF8.self))
        }
        if image.isElsewhere, !lookup.isReady(for: image.id, at: offset) {
            let together = lines.lazy.map(\.bytes.leadingWords)
                .prefix { $0?.first == words.first }.compactMap { $0?.offset }
            await lookup.fetch(image.id, at: Array(together))
        }
        await answer(image, at: offset)
    }

    private mutating func image(_ text: ArraySlice<UInt8>) async -> AskedImage? {
        if let asked, spelling == text { return asked }
        guard let image = ImageID(String(decoding: text, as: UTF8.self)) else { return nil }
        spelling = text
        asked = await asked(image)
        return asked
    }

    /// An image when it is known whether somebody has its symbols.
    private mutating func asked(_ image: ImageID) async -> AskedImage {
        while await lookup.fetch(image, at: []) == .missingImage,
            await access.arrival(of: [image])
        {}
        return AskedImage(
            id: image, name: await access.name(of: image),
            isElsewhere: await access.isElsewhere(image))
    }

    /// Every line has its answer, or a script that waits for one would wait for ever.
    private mutating func refuse(_ line: Int, image: String) {
        failed = true
        output.flush()
        Console.problem("standard input, line \(line): is not 'UUID OFFSET': give one pair a line")
        let status: FrameStatus = ImageID(image) == nil ? .unknownImage : .badOffset
        json.write(unreadable: image, status, to: &writer)
        endLine()
    }
}

/// An image and what its frames call it.
private struct AskedImage {
    let id: ImageID
    let name: String?
    /// Whether a service has its symbols, and this machine has none.
    let isElsewhere: Bool
}

extension ArraySlice<UInt8> {
    /// The first word of a line, and the offset that the second one is, if that is all; `nil` for a
    /// line without a word.
    fileprivate var leadingWords: (first: Self, offset: ImageOffset?)? {
        var rest = self
        guard let first = rest.popWord() else { return nil }
        guard let second = rest.popWord(), rest.popWord() == nil else { return (first, nil) }
        return (first, ImageOffset(text: second))
    }

    /// Takes the first word away, with all white space before it.
    private mutating func popWord() -> Self? {
        guard let start = firstIndex(where: { !$0.isWhiteSpace }) else { return nil }
        let end = self[start...].firstIndex(where: \.isWhiteSpace) ?? endIndex
        defer { self = self[end...] }
        return self[start..<end]
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
