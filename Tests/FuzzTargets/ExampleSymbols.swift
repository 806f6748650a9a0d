import ByteReading
import CallStacks
import SymbolIndexes
import Symbolication

/// A provider for a symbolicator that is passed its symbols.
struct NoSymbols: SymbolProvider {
    func symbols(for image: ImageID) async -> SymbolSupply { .missing }
}

/// Symbols for any image in a diagnostic.
enum ExampleSymbols {
    /// Returns the same index for most of the images; some of the others have none and some a
    /// damaged one.
    static func supply(for images: [ImageID]) -> FetchedSymbols {
        guard let index else { preconditionFailure("the example is an index") }
        var supplies: [ImageID: SymbolSupply] = [:]
        for (position, image) in images.enumerated() {
            supplies[image] = [.found(index), .found(index), .missing, .corrupt][position % 4]
        }
        return FetchedSymbols(supplies)
    }

    private static let index: SymbolIndex? = {
        let code = ImageOffset(0)..<ImageOffset(1 << 32)
        let layout = ImageLayout(base: LinkAddress(1 << 32), code: [code])
        var builder = SymbolIndexBuilder(
            image: IndexedImage(
                id: .example, identityKind: .uuid, architecture: .arm64, base: layout.base),
            layout: layout)
        add(code, to: &builder)
        let bytes = try? builder.encode(notes: IndexNotes())
        return bytes.flatMap { try? SymbolIndex(FileBytes($0)) }
    }()

    /// Adds a function that fills the code, with a call inlined into most of it.
    private static func add(_ code: Range<ImageOffset>, to builder: inout SymbolIndexBuilder) {
        let name = builder.number(ofName: Array("$s4Shop4CartV5totalSiyF".utf8).span)
        let inlined = builder.number(ofName: Array("_ZN4shop3addEii".utf8).span)
        let file = builder.number(
            ofFile: Array("Cart.swift".utf8).span, folder: Array("/src".utf8).span)
        let position = SourcePosition(file: file, line: 7, column: 3)
        var function = FunctionRecord()
        function.name = name
        function.ranges = [code]
        function.rows = [LineRow(start: code.lowerBound, position: position)]
        function.calls = [InlinedCall(name: inlined, parent: nil, site: position)]
        function.intervals = [
            InlinedInterval(range: ImageOffset(64)..<code.upperBound, call: 0)
        ]
        builder.add(function)
    }
}
