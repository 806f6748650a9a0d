import CallStacks
import JSONText
import StackRendering
import SymbolStores
import Symbolication

/// Looks up pairs of image and offset one by one, and records the outcome.
struct LookupRun {
    enum Format {
        case text(LookupText)
        case json
    }

    /// Whether any requested image has symbols.
    private(set) var foundImage = false
    /// Whether a line was invalid, or the symbols of an image are damaged.
    private(set) var failed = false

    private let access: SymbolAccess
    private let format: Format
    private var lookup: OffsetLookup
    private var output = ConsoleStream()
    private var json = LookupJSON()
    private var writer = JSONWriter()
    /// The image of the last line, cached because consecutive lines are usually about the same one.
    private var lastImage: RequestedImage?
    /// The spelling of the image's identity in the last line.
    private var spelling: ArraySlice<UInt8> = []

    init(_ access: SymbolAccess, format: Format) {
        self.access = access
        self.format = format
        lookup = OffsetLookup(provider: access.provider)
    }

    /// Looks up offsets in one image and prints the results.
    mutating func lookUp(_ image: ImageID, at offsets: [ImageOffset]) async {
        let image = await requestedImage(image, at: offsets)
        for offset in offsets { await lookUp(image, at: offset) }
        output.flush()
    }

    private mutating func lookUp(_ image: RequestedImage, at offset: ImageOffset) async {
        if let result = lookup.immediateResult(for: image.id, at: offset) {
            write(result, named: image.name)
        } else {
            write(await lookup.result(for: image.id, at: offset), named: image.name)
        }
    }

    private mutating func write(_ result: OffsetLookupResult, named name: String?) {
        foundImage = foundImage || result.status != .missingImage
        failed = failed || result.status == .corruptIndex
        switch format {
        case .text(let text):
            let frames = lookup.frames(of: result, named: name)
            output.write(text.text(of: result, frames: frames))
        case .json:
            json.learn(names: lookup.names, files: lookup.files)
            json.write(result, named: name, to: &writer)
            endLine()
        }
    }

    private mutating func endLine() {
        output.write(writer.bytes)
        output.write("\n")
        writer.removeAll()
    }

    /// Looks up lines of `UUID OFFSET` from standard input. The results for all lines that have
    /// arrived are printed before it waits for more, so that a script can keep one process running
    /// and use it for many lookups.
    mutating func lookUpStandardInput() async {
        Console.announceStandardInput(of: "lines of 'UUID OFFSET'")
        var lines = InputLines()
        var isEmpty = true
        while true {
            let arrived = lines.arrived(beforeWaiting: { output.flush() })
            if arrived.isEmpty { break }
            isEmpty = false
            for index in arrived.indices { await lookUp(arrived[index], before: arrived[index...]) }
        }
        if isEmpty {
            Console.problem("standard input: is empty: send lines of 'UUID OFFSET'")
        }
    }

    /// - Parameter lines: The line and those that have arrived after it.
    private mutating func lookUp(
        _ line: InputLines.Line, before lines: ArraySlice<InputLines.Line>
    ) async {
        guard let words = line.bytes.leadingWords else { return }
        guard let offset = words.offset, !line.isTruncated,
            let image = await image(words.first, at: offset, of: lines)
        else { return refuse(line.number, image: String(decoding: words.first, as: UTF8.self)) }
        if image.isElsewhere, !lookup.isReady(for: image.id, at: offset) {
            await lookup.fetch(image.id, at: offsets(of: words.first, in: lines))
        }
        await lookUp(image, at: offset)
    }

    private mutating func image(
        _ text: ArraySlice<UInt8>, at offset: ImageOffset, of lines: ArraySlice<InputLines.Line>
    ) async -> RequestedImage? {
        if let lastImage, spelling == text { return lastImage }
        guard let image = ImageID(String(decoding: text, as: UTF8.self)) else { return nil }
        spelling = text
        let isReady = lookup.isReady(for: image, at: offset)
        lastImage = await requestedImage(
            image, at: isReady ? [offset] : offsets(of: text, in: lines))
        return lastImage
    }

    /// Returns the offsets of all lines about an image.
    private func offsets(
        of image: ArraySlice<UInt8>, in lines: ArraySlice<InputLines.Line>
    ) -> [ImageOffset] {
        lines.lazy.compactMap(\.bytes.leadingWords).filter { $0.first == image }
            .compactMap(\.offset)
    }

    /// Returns an image once it is known whether its symbols are available anywhere.
    private mutating func requestedImage(
        _ image: ImageID, at offsets: [ImageOffset]
    ) async -> RequestedImage {
        while await lookup.fetch(image, at: offsets) == .missingImage,
            await access.waitForSymbols(of: [image])
        {}
        return RequestedImage(
            id: image, name: await access.name(of: image),
            isElsewhere: await access.isElsewhere(image))
    }

    /// Prints a result for an invalid line. Without it, a script that waits for a result for every
    /// line would hang.
    private mutating func refuse(_ line: Int, image: String) {
        failed = true
        output.flush()
        Console.problem("standard input, line \(line): is not 'UUID OFFSET': use one pair per line")
        let status: FrameStatus = ImageID(image) == nil ? .unknownImage : .badOffset
        json.write(unreadable: image, status: status, to: &writer)
        endLine()
    }
}

/// An image with the name that is printed for it.
private struct RequestedImage {
    let id: ImageID
    let name: String?
    /// Whether a service has its symbols and this machine does not.
    let isElsewhere: Bool
}

extension ArraySlice<UInt8> {
    /// The first word of a line and the offset in its second one, which is `nil` if it is invalid
    /// or not the last word. It is `nil` for a line without words.
    fileprivate var leadingWords: (first: Self, offset: ImageOffset?)? {
        var rest = self
        guard let first = rest.popWord() else { return nil }
        guard let second = rest.popWord(), rest.popWord() == nil else { return (first, nil) }
        return (first, ImageOffset(text: second))
    }

    /// Removes and returns the first word, and removes the white space before it.
    private mutating func popWord() -> Self? {
        guard let start = firstIndex(where: { !$0.isWhiteSpace }) else { return nil }
        let end = self[start...].firstIndex(where: \.isWhiteSpace) ?? endIndex
        defer { self = self[end...] }
        return self[start..<end]
    }
}

extension ImageOffset {
    /// Parses `0x513c` or `20796`.
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
