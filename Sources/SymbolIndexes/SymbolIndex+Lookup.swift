public import CallStacks

/// What an index says about one offset.
public struct IndexAnswer: Hashable, Sendable {
    /// Innermost first: the line of the code itself, then each call that was inlined to reach it;
    /// the last is the function that owns the code. Never empty.
    public var frames: [SourceFrame]
    /// Where the last frame's function, or the piece of it that holds the code, starts.
    public var functionStart: ImageOffset
}

/// The number of a function name in one index.
public struct IndexedName: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }
}

/// The number of a source file in one index.
public struct IndexedFile: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }
}

/// A frame whose texts are still numbers.
public struct NumberedFrame: Hashable, Sendable {
    public var name: IndexedName
    public var file: IndexedFile?
    public var line: UInt32
    public var column: UInt32
    public var isInlined: Bool
}

extension SymbolIndex {
    /// The frames at `offset`.
    ///
    /// - Parameter offset: For a caller's frame pass ``CallStacks/CallSite/lookupOffset``.
    /// - Returns: `nil` where the image holds no function.
    /// - Throws: If the index is damaged.
    public func frames(at offset: ImageOffset) throws(SymbolIndexError) -> IndexAnswer? {
        try withSections { (sections) throws(SymbolIndexError) in
            var frames: [SourceFrame] = []
            let start = try sections.walk(at: offset.rawValue) { (frame) throws(SymbolIndexError) in
                frames.append(try sections.sourceFrame(frame))
            }
            return start.map { IndexAnswer(frames: frames, functionStart: ImageOffset($0)) }
        }
    }

    /// Calls `body` with each frame at `offset`, innermost first, and allocates nothing.
    ///
    /// - Returns: The start of the last frame's function; `nil` where there is none, and then `body`
    ///   is not called.
    public func walk(
        at offset: ImageOffset, _ body: (NumberedFrame) -> Void
    ) throws(SymbolIndexError) -> ImageOffset? {
        defer { withExtendedLifetime(sections) {} }
        let start = try sections.walk(at: offset.rawValue) { (frame) throws(SymbolIndexError) in
            body(frame)
        }
        return start.map { ImageOffset($0) }
    }

    /// A name as it is written in the debug file, or `nil` for functions that have none.
    public func name(_ name: IndexedName) throws(SymbolIndexError) -> String? {
        try withSections { (sections) throws(SymbolIndexError) in try sections.name(name) }
    }

    public func file(_ file: IndexedFile) throws(SymbolIndexError) -> SourceFile {
        try withSections { (sections) throws(SymbolIndexError) in try sections.file(file) }
    }
}

extension IndexSections {
    /// - Returns: The start of the function, if there is one.
    @inline(__always)
    func walk(
        at offset: UInt64, _ body: (NumberedFrame) throws(SymbolIndexError) -> Void
    ) throws(SymbolIndexError) -> UInt64? {
        guard let entry = try entry(at: offset) else { return nil }
        return try walk(from: entry) { (_, frame) throws(SymbolIndexError) in try body(frame) }
    }

    /// Goes from the innermost scope of an entry to its function; `body` gets the scope's number too.
    @inline(__always)
    func walk(
        from entry: IndexEntry, _ body: (Int, NumberedFrame) throws(SymbolIndexError) -> Void
    ) throws(SymbolIndexError) -> UInt64 {
        var place = (file: entry.file, line: entry.line, column: entry.column)
        var number = entry.scope
        // Each step goes to a lower number, and a chain is the function and at most so many calls.
        for _ in 0...IndexLimits.inlineDepth {
            guard place.file <= UInt32(clamping: shape.counts.files) else {
                throw scopes.corrupt(at: number * shape.record.size)
            }
            let scope = try scope(number)
            try body(
                number,
                NumberedFrame(
                    name: IndexedName(rawValue: UInt32(scope.name)),
                    file: place.file == 0 ? nil : IndexedFile(rawValue: place.file - 1),
                    line: place.line, column: place.column, isInlined: scope.distance > 0))
            if scope.distance == 0 { return scope.site << UInt64(shape.scale) }
            place = callSite(scope.site)
            number -= Int(scope.distance)
        }
        throw scopes.corrupt(at: number * shape.record.size)
    }
}
