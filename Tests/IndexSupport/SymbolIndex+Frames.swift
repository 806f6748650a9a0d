public import CallStacks
public import SymbolIndexes

/// The frames at one offset of an index, with their texts.
public struct IndexLookupResult: Hashable, Sendable {
    /// The frames, innermost first: the line of the code itself, then each enclosing inlined call;
    /// the last is the function that owns the code. Never empty.
    public var frames: [SourceFrame]
    /// The start of the last frame's function, or of the piece of it that contains the code.
    public var functionStart: ImageOffset

    public init(frames: [SourceFrame], functionStart: ImageOffset) {
        self.frames = frames
        self.functionStart = functionStart
    }
}

extension SymbolIndex {
    /// Returns the frames at `offset`, or `nil` if the image has no function there.
    ///
    /// - Throws: `SymbolIndexError` if the index is damaged.
    public func frames(at offset: ImageOffset) throws(SymbolIndexError) -> IndexLookupResult? {
        var numbered: [NumberedFrame] = []
        guard let start = try walk(at: offset, { numbered.append($0) }) else { return nil }
        var frames: [SourceFrame] = []
        for frame in numbered { frames.append(try sourceFrame(frame)) }
        return IndexLookupResult(frames: frames, functionStart: start)
    }

    /// Returns the frame with the nearest line, as `nearestLine(at:depth:)` does, with its texts.
    public func nearestFrame(
        at offset: ImageOffset, depth: Int
    ) throws(SymbolIndexError) -> SourceFrame? {
        guard let frame = try nearestLine(at: offset, depth: depth) else { return nil }
        return try sourceFrame(frame)
    }

    private func sourceFrame(_ frame: NumberedFrame) throws(SymbolIndexError) -> SourceFrame {
        var file: SourceFile?
        if let number = frame.file { file = try self.file(number) }
        return SourceFrame(
            function: try name(frame.name), file: file, line: frame.line, column: frame.column,
            isInlined: frame.isInlined)
    }
}
