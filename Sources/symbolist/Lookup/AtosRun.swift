import Atos
import CallStacks
import DebugFiles
import SymbolStores
import Symbolication

/// Looks up addresses one by one and prints the results as `atos` does.
struct AtosRun {
    private let images: [AtosImages.Image]
    private var lookups: [OffsetLookup]
    private let placement: AtosAddressSpace
    private let movesBack: Bool
    private let text: AtosText
    private var output = ConsoleStream()

    /// - Parameter movesBack: Whether addresses are return addresses.
    init(_ images: AtosImages, placement: AtosAddressSpace, movesBack: Bool, text: AtosText) {
        self.images = images.images
        lookups = images.images.map { OffsetLookup(provider: $0.symbols) }
        self.placement = placement
        self.movesBack = movesBack
        self.text = text
    }

    mutating func flush() { output.flush() }

    /// Prints the results for the words of standard input, always before it waits for more. Lines
    /// do not matter: some scripts put all addresses of a report on one line.
    mutating func lookUpStandardInput() async {
        Console.announceStandardInput(of: "addresses")
        var words = InputWords()
        while let arrived = words.arrived(beforeWaiting: { output.flush() }) {
            await lookUp(arrived)
        }
        output.flush()
    }

    /// Prints the results for words in order. Words need not be addresses. A service receives all
    /// addresses in one request.
    mutating func lookUp(_ words: [ArraySlice<UInt8>]) async {
        for index in images.indices where images[index].file == nil {
            let numbers = words.compactMap { AtosNumber($0)?.value }.filter { $0 != 0 }
            let offsets = numbers.compactMap { number in
                placement.offset(of: number, base: images[index].base)
                    .flatMap {
                        images[index].contains($0) ? lookupOffset(of: $0, in: images[index]) : nil
                    }
            }
            if !offsets.isEmpty { await lookups[index].fetch(images[index].id, at: offsets) }
        }
        for word in words { await lookUp(word) }
    }

    /// Returns the offset to look up for an address. On 32-bit ARM, bit 0 of a return address may
    /// mark the Thumb instruction set.
    private func lookupOffset(of offset: ImageOffset, in image: AtosImages.Image) -> ImageOffset {
        guard movesBack else { return offset }
        let hasThumbBit = image.file?.architecture.marksThumbInAddresses == true
        let plain = hasThumbBit ? ImageOffset(offset.rawValue & ~1) : offset
        return CallSite.returnAddress(plain).lookupOffset
    }

    private mutating func lookUp(_ word: ArraySlice<UInt8>) async {
        guard let number = AtosNumber(word)?.value, number != 0 else {
            output.write(text.echo(word))
            return
        }
        for index in images.indices {
            let offset = placement.offset(of: number, base: images[index].base)
            guard let offset, images[index].contains(offset),
                let text = await line(for: number, at: offset, inImage: index)
            else { continue }
            output.write(text)
            return
        }
        output.write(text.echo(word))
    }

    /// Returns the line to print for an address, or `nil` if the image does not contain it.
    private mutating func line(
        for number: UInt64, at offset: ImageOffset, inImage index: Int
    ) async -> String? {
        let image = images[index]
        let lookupOffset = lookupOffset(of: offset, in: image)
        let result = await lookups[index].result(for: image.id, at: lookupOffset)
        if image.file == nil, result.isOutsideCode { return nil }
        let functions = result.functions.map {
            AtosFunction($0, names: lookups[index].names, files: lookups[index].files)
        }
        guard let last = result.functions.last, last.name != nil || functions.count > 1 else {
            if let stub = image.file?.stub(at: lookupOffset) {
                let function = AtosFunction(name: "DYLD-STUB$$\(stub.name)", location: .unknown)
                let distance = offset.rawValue - stub.start.rawValue
                return text.named([function], in: image.name, distance: distance)
            }
            let start = image.file?.functionStart(before: lookupOffset)
            let distance = start.map { offset.rawValue - $0.rawValue }
            return text.unnamed(number, in: image.name, distance: distance)
        }
        return text.named(functions, in: image.name, distance: result.distance(in: last))
    }
}

extension UInt8 {
    /// Whether the byte is a space, a tab, or the end of a line or page.
    var isWhiteSpace: Bool { self == 0x20 || (0x09...0x0d).contains(self) }
}
