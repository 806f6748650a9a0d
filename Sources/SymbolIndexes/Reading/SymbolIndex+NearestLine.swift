public import CallStacks

extension SymbolIndex {
    /// Returns a frame with the nearest real line, for a frame whose own line is 0 or
    /// compiler-generated.
    ///
    /// Real lines are searched in the contiguous code of the same function around `offset`, in the
    /// same function or inlined call at any depth. The line at the shortest distance in bytes is
    /// used; of two at the same distance, the one before `offset`.
    ///
    /// - Parameter depth: The index of the frame at `offset`; 0 is the innermost.
    /// - Returns: The frame, or `nil` if there is no such frame, or no real line within
    ///   ``IndexLimits/nearestLineEntries`` entries on each side, fewer in deeply inlined code.
    public func nearestLine(
        at offset: ImageOffset, depth: Int
    ) throws(SymbolIndexError) -> NumberedFrame? {
        try withSections { (sections) throws(SymbolIndexError) in
            guard let cursor = try EntryCursor(sections, at: offset.rawValue),
                let entry = cursor.stretch.entry,
                let search = try NearestLineSearch(sections, entry: entry, depth: depth)
            else { return nil }
            return try search.nearest(to: offset.rawValue, from: cursor)
        }
    }
}

/// A search for a line of one scope in the entries around an offset.
private struct NearestLineSearch {
    private let sections: IndexSections
    private let scope: Int
    private let function: Int

    /// Creates the search. Returns `nil` if there is no frame at that depth.
    init?(_ sections: IndexSections, entry: IndexEntry, depth: Int) throws(SymbolIndexError) {
        self.sections = sections
        var wanted: Int?
        var last = entry.scope
        var level = 0
        _ = try sections.walk(from: entry) { number, _ in
            if level == depth { wanted = number }
            last = number
            level += 1
        }
        guard let wanted else { return nil }
        scope = wanted
        function = last
    }

    func nearest(
        to offset: UInt64, from cursor: EntryCursor
    ) throws(SymbolIndexError) -> NumberedFrame? {
        var before = cursor
        let earlier = try first(from: &before) { (cursor) throws(SymbolIndexError) in
            try cursor.retreat()
        }
        var after = cursor
        let later = try first(from: &after) { (cursor) throws(SymbolIndexError) in
            try cursor.advance()
        }
        guard let earlier else { return later }
        guard let later else { return earlier }
        // Both cursors are at the same stretch if that has a real line itself.
        let back = offset >= before.stretch.end ? offset - (before.stretch.end - 1) : 0
        let forth = after.stretch.start > offset ? after.stretch.start - offset : 0
        return back <= forth ? earlier : later
    }

    /// Returns the first real line of the scope from the cursor on, within the function.
    private func first(
        from cursor: inout EntryCursor,
        step: (inout EntryCursor) throws(SymbolIndexError) -> Bool
    ) throws(SymbolIndexError) -> NumberedFrame? {
        var visitCount = 0
        for _ in 0...IndexLimits.nearestLineEntries
        where visitCount <= IndexLimits.searchedScopes {
            guard let entry = cursor.stretch.entry else { return nil }
            var found: NumberedFrame?
            var last = entry.scope
            _ = try sections.walk(from: entry) { (number, frame) throws(SymbolIndexError) in
                if number == scope, try isReal(frame) { found = frame }
                last = number
                visitCount += 1
            }
            if last != function { return nil }
            if let found { return found }
            guard try step(&cursor) else { return nil }
        }
        return nil
    }

    private func isReal(_ frame: NumberedFrame) throws(SymbolIndexError) -> Bool {
        guard frame.line > 0, let file = frame.file else { return false }
        return try !sections.isNamed(file, SourceFile.compilerGeneratedPath)
    }
}
