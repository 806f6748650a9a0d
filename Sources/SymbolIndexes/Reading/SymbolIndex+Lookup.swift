public import CallStacks

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

/// A frame with numbers instead of strings.
public struct NumberedFrame: Hashable, Sendable {
    public var name: IndexedName
    public var file: IndexedFile?
    public var line: UInt32
    public var column: UInt32
    public var isInlined: Bool
}

extension SymbolIndex {
    /// Calls `body` with each frame at `offset`, innermost first, without allocating: the line of
    /// the code itself, then each enclosing inlined call; the last is the function that owns the
    /// code.
    ///
    /// - Parameter offset: The offset. For a caller's frame, pass
    ///   ``CallStacks/CallSite/lookupOffset``.
    /// - Throws: `SymbolIndexError` if the index is damaged.
    /// - Returns: The start of the last frame's function, or `nil` if there is none; then `body` is
    ///   not called.
    public func walk(
        at offset: ImageOffset, _ body: (NumberedFrame) -> Void
    ) throws(SymbolIndexError) -> ImageOffset? {
        defer { withExtendedLifetime(sections) {} }
        let start = try sections.walk(at: offset.rawValue) { (frame) throws(SymbolIndexError) in
            body(frame)
        }
        return start.map { ImageOffset($0) }
    }

    /// Returns a name as written in the debug file, or `nil` for functions without a name.
    public func name(_ name: IndexedName) throws(SymbolIndexError) -> String? {
        try withSections { (sections) throws(SymbolIndexError) in try sections.name(name) }
    }

    public func file(_ file: IndexedFile) throws(SymbolIndexError) -> SourceFile {
        try withSections { (sections) throws(SymbolIndexError) in try sections.file(file) }
    }
}

extension IndexSections {
    /// - Returns: The start of the function, or `nil` if there is none.
    @inline(__always)
    func walk(
        at offset: UInt64, _ body: (NumberedFrame) throws(SymbolIndexError) -> Void
    ) throws(SymbolIndexError) -> UInt64? {
        guard let entry = try entry(at: offset) else { return nil }
        return try walk(from: entry) { (_, frame) throws(SymbolIndexError) in try body(frame) }
    }

    /// Walks from the innermost scope of an entry to its function. `body` also gets the scope's
    /// number.
    @inline(__always)
    func walk(
        from entry: IndexEntry, _ body: (Int, NumberedFrame) throws(SymbolIndexError) -> Void
    ) throws(SymbolIndexError) -> UInt64 {
        var location = (file: entry.file, line: entry.line, column: entry.column)
        var number = entry.scope
        // Each step goes to a lower number, and a chain has the function and at most this many
        // calls.
        for _ in 0...IndexLimits.inlineDepth {
            guard location.file <= UInt32(clamping: shape.counts.files) else {
                throw scopes.corrupt(at: number * shape.record.size)
            }
            let scope = try scope(number)
            try body(
                number,
                NumberedFrame(
                    name: IndexedName(rawValue: UInt32(scope.name)),
                    file: location.file == 0 ? nil : IndexedFile(rawValue: location.file - 1),
                    line: location.line, column: location.column, isInlined: scope.distance > 0))
            if scope.distance == 0 { return scope.site << UInt64(shape.scale) }
            location = callSite(scope.site)
            number -= Int(scope.distance)
        }
        throw scopes.corrupt(at: number * shape.record.size)
    }
}
