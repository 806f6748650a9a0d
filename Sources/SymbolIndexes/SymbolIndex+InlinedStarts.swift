public import CallStacks

extension SymbolIndex {
    /// Where the code of each inlined call at an offset starts: the uninterrupted piece of it that
    /// holds the offset.
    ///
    /// - Returns: Innermost first, one for each inlined call; `nil` for a call whose start is not
    ///   within ``IndexLimits/nearestLineEntries`` entries. Empty where nothing is inlined.
    /// - Throws: If the index is damaged.
    public func inlinedStarts(at offset: ImageOffset) throws(SymbolIndexError) -> [ImageOffset?] {
        try withSections { (sections) throws(SymbolIndexError) in
            guard var cursor = try EntryCursor(sections, at: offset.rawValue),
                let entry = cursor.stretch.entry
            else { return [] }
            let calls = try sections.scopes(of: entry).dropLast()
            var starts: [ImageOffset?] = calls.map { _ in ImageOffset(cursor.stretch.start) }
            // Calls hold one another, so the inner ones end first.
            var depth = 0
            for _ in 0..<IndexLimits.nearestLineEntries where depth < calls.count {
                guard try cursor.retreat(), let entry = cursor.stretch.entry else { return starts }
                let around = try sections.scopes(of: entry)
                while depth < calls.count, !around.contains(calls[depth]) { depth += 1 }
                for outer in depth..<calls.count {
                    starts[outer] = ImageOffset(cursor.stretch.start)
                }
            }
            for unfinished in depth..<calls.count { starts[unfinished] = nil }
            return starts
        }
    }
}

extension IndexSections {
    /// The scopes at an entry, innermost first; the last is the function.
    fileprivate func scopes(of entry: IndexEntry) throws(SymbolIndexError) -> [Int] {
        var scopes: [Int] = []
        _ = try walk(from: entry) { number, _ in scopes.append(number) }
        return scopes
    }
}
