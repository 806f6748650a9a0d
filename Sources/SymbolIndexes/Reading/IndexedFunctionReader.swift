public import CallStacks

/// A contiguous piece of a function, with the lines and the inlined calls of its code.
public struct IndexedFunction: Hashable, Sendable {
    /// Code with one source position.
    public struct Line: Hashable, Sendable {
        public var range: Range<ImageOffset>
        public var file: IndexedFile?
        /// The line, or 0 if the compiler assigned none.
        public var line: UInt32
    }

    /// A call inlined into the function, or into another inlined call.
    public struct Call: Hashable, Sendable {
        public var name: IndexedName
        /// The number of enclosing inlined calls.
        public var depth: Int
        /// The source position of the call.
        public var file: IndexedFile?
        public var line: UInt32
        /// Its code, ascending; adjacent ranges are joined.
        public var ranges: [Range<ImageOffset>]
    }

    public var name: IndexedName
    public var range: Range<ImageOffset>
    /// The lines of the innermost call at each position, ascending.
    public var lines: [Line]
    /// The inlined calls, each after the one that it is inlined into.
    public var calls: [Call]
}

/// Reads the functions of an index in the order of their code. Only one function is in memory at a
/// time.
public struct IndexedFunctionReader: Sendable {
    private let index: SymbolIndex
    private var cursor: EntryCursor?

    /// - Throws: `SymbolIndexError` if the index is damaged.
    public init(_ index: SymbolIndex) throws(SymbolIndexError) {
        self.index = index
        cursor = try index.withSections { (sections) throws(SymbolIndexError) in
            try EntryCursor(atStartOf: sections)
        }
    }

    /// Returns the next piece of a function, or `nil` at the end.
    ///
    /// - Throws: `SymbolIndexError` if the index is damaged.
    public mutating func next() throws(SymbolIndexError) -> IndexedFunction? {
        var piece = FunctionPiece()
        while let stretch = cursor?.stretch {
            guard try piece.add(stretch, of: index.sections) else { return piece.function }
            if try cursor?.advance() != true { cursor = nil }
        }
        return piece.function
    }
}

/// A piece of a function that is being read.
private struct FunctionPiece {
    /// The function's scope and name, once code of it was read.
    private var owner: (scope: Int, name: IndexedName)?
    private var range = ImageOffset(0)..<ImageOffset(0)
    private var lines: [IndexedFunction.Line] = []
    private var calls: [IndexedFunction.Call] = []
    /// The positions of scopes in ``calls``.
    private var positions: [Int: Int] = [:]

    var function: IndexedFunction? {
        owner.map { IndexedFunction(name: $0.name, range: range, lines: lines, calls: calls) }
    }

    /// Adds the next stretch of code.
    ///
    /// - Returns: `false` if it belongs to another piece.
    mutating func add(
        _ stretch: EntryCursor.Stretch, of sections: IndexSections
    ) throws(SymbolIndexError) -> Bool {
        // A gap ends a piece, and is passed before one.
        guard let entry = stretch.entry else { return owner == nil }
        var chain: [(number: Int, frame: NumberedFrame)] = []
        _ = try sections.walk(from: entry) { chain.append(($0, $1)) }
        let outer = chain[chain.count - 1]
        let stretch = ImageOffset(stretch.start)..<ImageOffset(stretch.end)
        if owner == nil {
            owner = (outer.number, outer.frame.name)
            range = stretch
        }
        guard owner?.scope == outer.number else { return false }
        range = range.joined(to: stretch)
        addLine(chain[0].frame, range: stretch)
        for position in (0..<chain.count - 1).reversed() {
            addCall(chain, position: position, range: stretch)
        }
        return true
    }

    private mutating func addLine(_ frame: NumberedFrame, range: Range<ImageOffset>) {
        let line = IndexedFunction.Line(range: range, file: frame.file, line: frame.line)
        if let last = lines.last, last.file == line.file, last.line == line.line {
            lines[lines.count - 1].range = last.range.joined(to: range)
        } else {
            lines.append(line)
        }
    }

    /// - Parameter chain: The scopes of the code, innermost first.
    private mutating func addCall(
        _ chain: [(number: Int, frame: NumberedFrame)], position: Int,
        range: Range<ImageOffset>
    ) {
        guard let known = positions[chain[position].number] else {
            // The position of a call is in the frame that it was inlined into.
            let site = chain[position + 1].frame
            positions[chain[position].number] = calls.count
            calls.append(
                .init(
                    name: chain[position].frame.name, depth: chain.count - 2 - position,
                    file: site.file, line: site.line, ranges: [range]))
            return
        }
        let last = calls[known].ranges.count - 1
        if calls[known].ranges[last].upperBound == range.lowerBound {
            calls[known].ranges[last] = calls[known].ranges[last].joined(to: range)
        } else {
            calls[known].ranges.append(range)
        }
    }
}

extension Range<ImageOffset> {
    fileprivate func joined(to next: Self) -> Self { lowerBound..<next.upperBound }
}

extension SymbolIndex {
    /// The number of source files.
    public var fileCount: Int { header.shape.counts.files }

    /// Returns the names of inlined calls, ascending.
    ///
    /// - Throws: `SymbolIndexError` if the index is damaged.
    public func inlinedNames() throws(SymbolIndexError) -> [IndexedName] {
        try withSections { (sections) throws(SymbolIndexError) in
            var isInlined = [Bool](repeating: false, count: sections.shape.counts.names)
            for number in 0..<sections.shape.counts.scopes {
                let scope = try sections.scope(number)
                if scope.distance > 0 { isInlined[Int(scope.name)] = true }
            }
            return isInlined.indices.filter { isInlined[$0] }.map {
                IndexedName(rawValue: UInt32($0))
            }
        }
    }

    /// Returns the end of the contiguous piece of a function that contains `offset`, or `nil` if
    /// there is none or if the search reaches its limit.
    ///
    /// - Parameter budget: The number of entries that may be read; decreased by the number read.
    public func functionEnd(
        at offset: ImageOffset, budget: inout Int
    ) throws(SymbolIndexError) -> ImageOffset? {
        guard var cursor = try EntryCursor(sections, at: offset.rawValue),
            let entry = cursor.stretch.entry
        else { return nil }
        let owner = try sections.owner(of: entry)
        var end = cursor.stretch.end
        while budget > 0 {
            budget -= 1
            guard try cursor.advance(), let entry = cursor.stretch.entry,
                try sections.owner(of: entry) == owner
            else { return ImageOffset(end) }
            end = cursor.stretch.end
        }
        return nil
    }
}

extension IndexSections {
    /// Returns the scope of the function that owns the code of an entry.
    fileprivate func owner(of entry: IndexEntry) throws(SymbolIndexError) -> Int {
        var owner = entry.scope
        _ = try walk(from: entry) { number, _ in owner = number }
        return owner
    }
}
