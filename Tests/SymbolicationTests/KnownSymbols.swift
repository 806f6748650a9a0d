import CallStacks
import Symbolication

/// Symbols that a test writes down, in place of an index.
struct KnownSymbols: ImageSymbols {
    struct Function {
        var range: Range<UInt64>
        /// Innermost first.
        var frames: [SourceFrame]
        /// What the nearest real line is, by depth.
        var nearest: [Int: SourceFrame] = [:]
    }

    struct Damage: Error {}

    var functions: [Function] = []
    var architecture: Architecture? = .arm64
    var hasDebugInformation = true
    var codeEnd: ImageOffset? = ImageOffset(0x10_0000)
    /// An offset at which the symbols turn out not to hold together.
    var damagedOffset: UInt64?

    func functions(at offset: ImageOffset) throws -> FunctionChain? {
        if offset.rawValue == damagedOffset { throw Damage() }
        return function(at: offset).map {
            FunctionChain(frames: $0.frames, start: ImageOffset($0.range.lowerBound))
        }
    }

    func nearestLine(at offset: ImageOffset, depth: Int) throws -> SourceFrame? {
        function(at: offset)?.nearest[depth]
    }

    private func function(at offset: ImageOffset) -> Function? {
        functions.first { $0.range.contains(offset.rawValue) }
    }
}

/// A provider that has what a test gives it.
struct KnownProvider: SymbolProvider {
    var supplies: [ImageID: SymbolSupply] = [:]

    func symbols(for image: ImageID) async -> SymbolSupply { supplies[image] ?? .missing }
}

extension SourceFrame {
    /// A function at a line of `File.swift`; line 0 has a file all the same.
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
    /// A frame of `image` whose offset is looked up as it is.
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
    /// Symbolicates with what is known of each image.
    static func answer(
        _ diagnostic: Diagnostic, with supplies: [ImageID: SymbolSupply]
    ) async -> SymbolicatedDiagnostic {
        await Symbolicator(provider: KnownProvider(supplies: supplies)).symbolicate(diagnostic)
    }
}
