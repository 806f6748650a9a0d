import CallStacks

/// Encodes functions as the bytes of parts.
///
/// Each part of a function has its own copies of calls, so that it can have its own name and start.
struct PartEncoder: Sendable {
    private var flattening = InlineFlattener()
    private var position = StagingPosition()
    /// For each scope, its number in the part + 1, or 0 if the part does not need it.
    private var numbers: [UInt32] = []
    /// The scopes that the part needs, in ascending order.
    private var used: [UInt32] = []
    private var usedCount = 0
    private var files = PartFiles()
    /// The bytes of the part.
    private var bytes: [UInt8] = []

    /// Begins a function, whose ranges are then added one after another.
    ///
    /// - Returns: Whether its calls nest within the limit. If not, it has none.
    mutating func begin(_ function: FunctionRecord) -> Bool {
        position = StagingPosition()
        let isWithinLimit = flattening.flatten(function)
        numbers.reach(flattening.scopeCount, filler: 0)
        used.reach(flattening.scopeCount, filler: 0)
        return isWithinLimit
    }

    /// Writes the part for `range`, unless it has more calls than `callLimit`.
    mutating func part(
        _ range: Range<UInt64>, of function: FunctionRecord, known: KnownNumbers, callLimit: Int,
        into staged: inout StagedBytes
    ) -> StagedPart? {
        usedCount = Self.collectScopes(
            range, flattening: flattening, position: &position, numbers: &numbers, used: &used)
        Self.numberScopes(
            &used, usedCount: usedCount, numbers: &numbers, scopeCount: flattening.scopeCount)
        defer { Self.forgetNumbers(&numbers, used: used, usedCount: usedCount) }
        guard usedCount - 1 <= callLimit else { return nil }
        // A range cannot contain more rows and boundaries than these.
        let entryRoom =
            1 + function.rows.count - position.nextRow
            + flattening.boundaryCount - position.nextBoundary
        bytes.reach(
            usedCount * MutableSpan<UInt8>.callSize
                + entryRoom * (MutableSpan<UInt8>.entrySize + MutableSpan<UInt8>.fileSize),
            filler: 0)
        var part = StagedPart()
        part.callCount = UInt32(usedCount - 1)
        var count = Self.writeCalls(
            of: function, known: known, flattening: flattening, numbers: numbers, used: used,
            usedCount: usedCount, bytes: &bytes)
        part.firstEntry = UInt32(count)
        files.begin(fileCount: known.fileCount)
        Self.writeEntries(
            range, of: function, known: known, flattening: flattening, numbers: numbers,
            position: &position, files: &files, part: &part, bytes: &bytes,
            at: &count)
        part.firstFile = UInt32(count)
        part.fileCount = files.finish(&bytes, at: &count)
        staged.append(bytes, count: count, as: &part)
        return part
    }

    /// Writes a part that starts at `start`, with the given entries and no calls.
    mutating func part(
        _ entries: [StagedEntry], start: UInt64, fileCount: Int, into staged: inout StagedBytes
    ) -> StagedPart {
        bytes.reach(
            entries.count * (MutableSpan<UInt8>.entrySize + MutableSpan<UInt8>.fileSize), filler: 0)
        files.begin(fileCount: fileCount)
        var part = StagedPart()
        var count = Self.write(entries, start: start, files: &files, part: &part, bytes: &bytes)
        part.firstFile = UInt32(count)
        part.fileCount = files.finish(&bytes, at: &count)
        staged.append(bytes, count: count, as: &part)
        return part
    }

    private static func write(
        _ entries: [StagedEntry], start: UInt64, files: inout PartFiles,
        part: inout StagedPart, bytes: inout [UInt8]
    ) -> Int {
        var bytes = bytes.mutableSpan
        var last = StagedEntry(start: start, scope: 0, file: 0, line: 0, column: 0)
        var count = 0
        for entry in entries {
            let saysFile = part.entryCount == 0 || entry.file != last.file
            var numbered = entry
            if saysFile { numbered.file = files.number(of: entry.file) }
            unsafe bytes.put(numbered, after: last, saysFile: saysFile, at: &count)
            part.startBits |= entry.start
            part.entryCount += 1
            last = entry
        }
        return count
    }

    /// Finds the scopes that a range needs, and marks them in `numbers`.
    ///
    /// - Returns: The number of scopes.
    private static func collectScopes(
        _ range: Range<UInt64>, flattening: InlineFlattener, position: inout StagingPosition,
        numbers: inout [UInt32], used: inout [UInt32]
    ) -> Int {
        let boundaries = flattening.boundaries.span
        let parents = flattening.parents.span
        var numbers = numbers.mutableSpan
        var used = used.mutableSpan
        while position.nextBoundary < flattening.boundaryCount,
            boundaries[position.nextBoundary].start <= range.lowerBound
        {
            position.scope = boundaries[position.nextBoundary].scope
            position.nextBoundary += 1
        }
        var scope = Int(position.scope)
        var next = position.nextBoundary
        var count = 0
        while true {
            // A scope needs its enclosing ones, up to the function.
            while numbers[scope] == 0 {
                numbers[scope] = 1
                used[count] = UInt32(truncatingIfNeeded: scope)
                count += 1
                scope = Int(parents[scope])
            }
            guard next < flattening.boundaryCount, boundaries[next].start < range.upperBound
            else { break }
            scope = Int(boundaries[next].scope)
            next += 1
        }
        return count
    }

    /// Numbers the scopes of a part in order, and leaves `used` in ascending order.
    private static func numberScopes(
        _ used: inout [UInt32], usedCount: Int, numbers: inout [UInt32], scopeCount: Int
    ) {
        var numbers = numbers.mutableSpan
        if usedCount * 8 < scopeCount {
            used[..<usedCount].sort()
        } else {
            var used = used.mutableSpan
            var count = 0
            for scope in 0..<scopeCount where numbers[scope] != 0 {
                used[count] = UInt32(truncatingIfNeeded: scope)
                count += 1
            }
        }
        let used = used.span
        for index in 0..<usedCount {
            numbers[Int(used[index])] = UInt32(truncatingIfNeeded: index + 1)
        }
    }

    private static func forgetNumbers(
        _ numbers: inout [UInt32], used: [UInt32], usedCount: Int
    ) {
        let used = used.span
        var numbers = numbers.mutableSpan
        for index in 0..<usedCount { numbers[Int(used[index])] = 0 }
    }

    /// - Returns: The size of the calls in bytes.
    private static func writeCalls(
        of function: FunctionRecord, known: KnownNumbers, flattening: InlineFlattener,
        numbers: [UInt32], used: [UInt32], usedCount: Int, bytes: inout [UInt8]
    ) -> Int {
        let records = function.calls.span
        let calls = flattening.calls.span
        let parents = flattening.parents.span
        let numbers = numbers.span
        let used = used.span
        var bytes = bytes.mutableSpan
        var count = 0
        for index in 1..<max(1, usedCount) {
            let scope = Int(used[index])
            let record = records[calls[scope]]
            let column = record.site.column
            unsafe bytes.put(
                StagedCall(
                    distance: numbers[scope] - numbers[Int(parents[scope])],
                    name: known.name(record.name), file: known.file(record.site.file),
                    line: record.site.line,
                    // A single wide column would make every record of the index wider.
                    column: column > IndexLimits.callColumn ? 0 : column),
                at: &count)
        }
        return count
    }

    /// Merges rows and boundaries, both ascending, into the entries of one range.
    private static func writeEntries(
        _ range: Range<UInt64>, of function: FunctionRecord, known: KnownNumbers,
        flattening: InlineFlattener, numbers: [UInt32], position: inout StagingPosition,
        files: inout PartFiles, part: inout StagedPart, bytes: inout [UInt8],
        at count: inout Int
    ) {
        let rows = function.rows.span
        let boundaries = flattening.boundaries.span
        let boundaryCount = flattening.boundaryCount
        let numbers = numbers.span
        var bytes = bytes.mutableSpan
        var last = StagedEntry(start: range.lowerBound, scope: 0, file: 0, line: 0, column: 0)
        // A local copy stays in the processor's registers.
        var merging = position
        var next = merging.entry(scope: numbers[Int(merging.scope)] - 1)
        var entryCount: UInt32 = 0
        var startBits: UInt64 = 0
        var offset = range.lowerBound
        while offset < range.upperBound {
            let stop = min(
                merging.passRows(rows, to: offset, known: known, entry: &next),
                merging.passBoundaries(
                    boundaries, count: boundaryCount, to: offset, numbers: numbers, entry: &next))
            if entryCount == 0 || !last.hasSameSource(as: next) {
                next.start = offset
                var numbered = next
                let saysFile = entryCount == 0 || next.file != last.file
                if saysFile { numbered.file = files.number(of: next.file) }
                unsafe bytes.put(numbered, after: last, saysFile: saysFile, at: &count)
                startBits |= offset
                entryCount &+= 1
                last = next
            }
            offset = stop
        }
        part.entryCount = entryCount
        part.startBits = startBits
        merging.setSource(of: next)
        position = merging
    }
}

/// The current row and boundary at the end of a range, and the next ones.
private struct StagingPosition: Sendable {
    var nextRow = 0
    var nextBoundary = 0
    var scope: UInt32 = 0
    var file: UInt32 = 0
    var line: UInt32 = 0
    var column: UInt32 = 0

    func entry(scope: UInt32) -> StagedEntry {
        StagedEntry(start: 0, scope: scope, file: file, line: line, column: column)
    }

    mutating func setSource(of entry: StagedEntry) {
        file = entry.file
        line = entry.line
        column = entry.column
    }

    /// Passes the rows up to an offset, and gives the entry the source of the last one.
    ///
    /// - Returns: The start of the next row, or the maximum if there is none.
    @inline(__always)
    mutating func passRows(
        _ rows: Span<LineRow>, to offset: UInt64, known: KnownNumbers, entry: inout StagedEntry
    ) -> UInt64 {
        while nextRow < rows.count {
            let row = unsafe rows[unchecked: nextRow]
            if row.start.rawValue > offset { return row.start.rawValue }
            nextRow &+= 1
            entry.file = known.file(row.position.file)
            entry.line = row.position.line
            entry.column = row.position.column
        }
        return .max
    }

    /// Passes the boundaries up to an offset, and gives the entry the scope of the last one.
    ///
    /// - Returns: The start of the next boundary, or the maximum if there is none.
    @inline(__always)
    mutating func passBoundaries(
        _ boundaries: Span<ScopeBoundary>, count: Int, to offset: UInt64, numbers: Span<UInt32>,
        entry: inout StagedEntry
    ) -> UInt64 {
        while nextBoundary < count {
            let boundary = boundaries[nextBoundary]
            if boundary.start > offset { return boundary.start }
            nextBoundary &+= 1
            scope = boundary.scope
            entry.scope = numbers[Int(boundary.scope)] &- 1
        }
        return .max
    }
}
