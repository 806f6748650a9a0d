import ByteReading
import CallStacks
import IndexSupport
import SymbolIndexes
import Symbolication

/// Functions given by a test, and an index built from them.
struct KnownSymbols {
    struct Function {
        var range: Range<UInt64>
        /// Innermost first, over the whole range.
        var frames: [SourceFrame]
        /// A line of the function itself in its last 8 bytes, outside the inlined calls.
        var lastLine: SourceFrame?
    }

    var functions: [Function] = []
    /// Names of a symbol table. Without functions, debug information is missing.
    var symbols: [(name: String, range: Range<UInt64>)] = []
    /// The size of the image's text, or 0 if it is unknown.
    var textSize: UInt64 = 0
    /// Whether the image is one of Apple's systems, and all its symbols are here.
    var isOfSystem = false
    /// Whether the local symbols of such an image are missing.
    var hasExportsOnly = false

    func supply() throws -> SymbolSupply { .found(try SymbolIndex(FileBytes(try bytes()))) }

    func bytes() throws -> [UInt8] {
        let image = IndexedImage(
            id: .shop, identityKind: .uuid, architecture: .arm64, base: LinkAddress(0x1_0000_0000),
            textSize: textSize)
        let code = [ImageOffset(0)..<ImageOffset(0x10_0000)]
        var builder = SymbolIndexBuilder(
            image: image, layout: ImageLayout(base: image.base, code: code))
        for (name, range) in symbols {
            let name = builder.number(ofName: Array(name.utf8).span)
            let (start, end) = (ImageOffset(range.lowerBound), ImageOffset(range.upperBound))
            builder.add(SymbolRecord(name: name, start: start, end: end, rank: .global))
        }
        for function in functions { builder.add(function) }
        return try builder.encode(
            notes: IndexNotes(
                hasDebugInformation: !functions.isEmpty, isOfSystem: isOfSystem,
                hasCompleteSymbols: isOfSystem && !hasExportsOnly))
    }
}

extension SymbolIndexBuilder {
    fileprivate mutating func add(_ function: KnownSymbols.Function) {
        guard let innermost = function.frames.first, let owner = function.frames.last
        else { return }
        let (start, end) = (function.range.lowerBound, function.range.upperBound)
        let split = function.lastLine == nil ? end : end - 8
        var record = FunctionRecord()
        record.name = name(of: owner)
        record.ranges = [ImageOffset(start)..<ImageOffset(end)]
        record.rows = [LineRow(start: ImageOffset(start), position: position(of: innermost))]
        if let last = function.lastLine {
            record.rows.append(LineRow(start: ImageOffset(split), position: position(of: last)))
        }
        record.rows.append(LineRow(start: ImageOffset(end), position: .none))
        for (depth, caller) in function.frames.enumerated().reversed().dropLast() {
            let call = record.calls.count
            record.calls.append(
                InlinedCall(
                    name: name(of: function.frames[depth - 1]), parent: call == 0 ? nil : call - 1,
                    site: position(of: caller)))
            record.intervals.append(
                InlinedInterval(range: ImageOffset(start)..<ImageOffset(split), call: call))
        }
        add(record)
    }

    private mutating func name(of frame: SourceFrame) -> NameNumber? {
        frame.function.map { number(ofName: Array($0.utf8).span) }
    }

    private mutating func position(of frame: SourceFrame) -> SourcePosition {
        let file = frame.file.map {
            number(ofFile: Array($0.name.utf8).span, folder: Array($0.folder.utf8).span)
        }
        return SourcePosition(file: file, line: frame.line, column: frame.column)
    }
}

/// A provider with the given symbols.
struct KnownProvider: SymbolProvider {
    var supplies: [ImageID: SymbolSupply] = [:]
    /// The symbols that replace damaged ones.
    var replacements: [ImageID: SymbolSupply] = [:]
    var names: [ImageID: String] = [:]

    func imageName(of image: ImageID) -> String? { names[image] }

    func symbols(for image: ImageID) async -> SymbolSupply { supplies[image] ?? .missing }

    func symbols(replacingDamagedIndexOf image: ImageID) async -> SymbolSupply {
        replacements[image] ?? .corrupt
    }
}

extension SourceFrame {
    /// A function at a line of `File.swift`; line 0 has that file too.
    static func at(
        _ function: String?, line: UInt32 = 1, column: UInt32 = 0, file: String? = "File.swift"
    ) -> Self {
        SourceFrame(
            function: function, file: file.map { SourceFile(folder: "/src", name: $0) }, line: line,
            column: column, isInlined: false)
    }
}

extension ImageID {
    static let shop = known(1)
    static let pay = known(2)
    static let kit = known(3)

    /// An identity of 16 equal bytes.
    static func known(_ byte: UInt8) -> Self {
        ImageID(bytes: [UInt8](repeating: byte, count: 16)) ?? known(1)
    }
}

extension CallFrame {
    /// A frame of `image` whose offset is looked up unchanged.
    static func at(
        _ offset: UInt64, of image: ImageID? = .shop, _ name: String? = "Shop", parent: Int? = nil,
        samples: UInt64? = nil
    ) -> Self {
        CallFrame(
            image: image, imageName: name, site: .programCounter(ImageOffset(offset)),
            samples: samples, parent: parent)
    }
}

extension CallStackTree {
    /// One linear stack, innermost first.
    static func thread(_ frames: [CallFrame], isAttributed: Bool = true) -> Self {
        var linked = frames
        for index in linked.indices.dropFirst() { linked[index].parent = index - 1 }
        return CallStackTree(
            form: .threads,
            stacks: [CallStack(index: 0, isAttributed: isAttributed, frames: 0..<frames.count)],
            frames: linked)
    }

    /// One sampled stack, outermost first.
    static func samples(_ frames: [CallFrame]) -> Self {
        CallStackTree(
            form: .sampled,
            stacks: [CallStack(index: 0, isAttributed: true, frames: 0..<frames.count)],
            frames: frames)
    }
}

extension Symbolicator {
    /// Symbolicates with an index of the known symbols of each image.
    static func symbolicated(
        _ diagnostic: Diagnostic, with symbols: [ImageID: KnownSymbols]
    ) async throws -> SymbolicatedDiagnostic {
        await symbolicated(diagnostic, with: try symbols.mapValues { try $0.supply() })
    }

    static func symbolicated(
        _ diagnostic: Diagnostic, with supplies: [ImageID: SymbolSupply]
    ) async -> SymbolicatedDiagnostic {
        await Symbolicator(provider: KnownProvider(supplies: supplies)).symbolicate(diagnostic)
    }
}
