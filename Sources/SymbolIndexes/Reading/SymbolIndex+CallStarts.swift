public import CallStacks

extension SymbolIndex {
    /// Returns the starts of the contiguous code around `offset` of each inlined call there,
    /// innermost first, without the function that owns the code.
    ///
    /// The search stops after ``IndexLimits/nearestLineEntries`` entries, earlier in deeply inlined
    /// code, and then returns the start of the entry it reached.
    public func callStarts(at offset: ImageOffset) throws(SymbolIndexError) -> [ImageOffset] {
        try withSections { (sections) throws(SymbolIndexError) in
            guard var cursor = try EntryCursor(sections, at: offset.rawValue),
                let entry = cursor.stretch.entry
            else { return [] }
            let calls = try sections.calls(of: entry)
            var starts = calls.map { _ in cursor.stretch.start }
            // An outer call may extend beyond an inner one, but not vice versa.
            var first = 0
            var visitCount = 0
            for _ in 0..<IndexLimits.nearestLineEntries
            where first < calls.count && visitCount < IndexLimits.searchedScopes {
                guard try cursor.retreat(), let entry = cursor.stretch.entry else { break }
                let others = try sections.calls(of: entry)
                visitCount += others.count + 1
                while first < calls.count, !others.contains(calls[first]) { first += 1 }
                for call in first..<calls.count { starts[call] = cursor.stretch.start }
            }
            return starts.map { ImageOffset($0) }
        }
    }
}

extension IndexSections {
    /// Returns the scopes of the inlined calls of an entry, innermost first.
    fileprivate func calls(of entry: IndexEntry) throws(SymbolIndexError) -> [Int] {
        var calls: [Int] = []
        _ = try walk(from: entry) { number, frame in
            if frame.isInlined { calls.append(number) }
        }
        return calls
    }
}
