public import CallStacks

/// Where symbols come from: a folder, a store, a server. The use case asks, and does no input or
/// output of its own.
public protocol SymbolProvider: Sendable {
    /// The symbols of one image. Called once per image and diagnostic, for several images at a time.
    func symbols(for image: ImageID) async -> SymbolSupply
}

/// What a ``SymbolProvider`` has for one image.
public enum SymbolSupply: Sendable {
    case found(any ImageSymbols)
    /// Nobody supplied anything for the image.
    case missing
    /// Something was supplied and cannot be read.
    case corrupt(reason: String)
}

/// The symbols of one image, open for lookup.
///
/// An error from a lookup means that the symbols do not hold together; nothing that they answered
/// is used then.
public protocol ImageSymbols: Sendable {
    var architecture: Architecture? { get }

    /// Whether there are functions from debug information, and not only a symbol table.
    var hasDebugInformation: Bool { get }

    /// Where the code of the image ends; `nil` where that is not known.
    var codeEnd: ImageOffset? { get }

    /// The functions at `offset`, or `nil` where none covers it. Nothing is subtracted from it.
    func functions(at offset: ImageOffset) throws -> FunctionChain?

    /// The place nearest to `offset` in the same function that has a real line.
    ///
    /// - Parameter depth: A position in ``FunctionChain/frames``.
    func nearestLine(at offset: ImageOffset, depth: Int) throws -> SourceFrame?
}

/// The functions at one place in the code of an image.
public struct FunctionChain: Hashable, Sendable {
    /// Innermost first. The last owns the code, all others were inlined into it.
    public var frames: [SourceFrame]
    /// Where the function that owns the code starts.
    public var start: ImageOffset

    public init(frames: [SourceFrame], start: ImageOffset) {
        self.frames = frames
        self.start = start
    }
}
