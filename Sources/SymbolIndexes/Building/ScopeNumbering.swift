/// Numbers the scopes of the index, and records which names and files it needs.
struct ScopeNumbering {
    private(set) var scopeCount = 0
    /// The parts with scopes in the order of the scopes, and the first scope of each.
    private(set) var parts: [UInt32] = []
    private(set) var firstScopes: [UInt32]
    /// Whether each name is used, by the numbers of the builder.
    private(set) var usesName: [Bool]
    /// Whether each file is used, by number + 1, as in entries and calls.
    private(set) var usesFile: [Bool]
    private(set) var usesFileInCalls: [Bool]
    /// The bitwise OR of all starts, and likewise for other numbers.
    private(set) var startBits: UInt64 = 0
    private(set) var functionStartBits: UInt64 = 0
    private(set) var callBits = StagedCall(distance: 0, name: 0, file: 0, line: 0, column: 0)

    init(_ builder: borrowing SymbolIndexBuilder) {
        firstScopes = Array(repeating: .max, count: builder.parts.count)
        usesName = Array(repeating: false, count: builder.names.count)
        usesFile = Array(repeating: false, count: builder.files.entries.count + 1)
        usesFileInCalls = usesFile
    }

    /// Whether entries or calls use a file, given by its number + 1.
    func uses(file: UInt32) -> Bool { usesFile[Int(file)] || usesFileInCalls[Int(file)] }

    func hasNumbered(_ part: UInt32) -> Bool { firstScopes[Int(part)] != .max }

    /// Numbers the scopes of a part: the function first, then its calls.
    mutating func number(_ index: UInt32, part: CodePart, in pool: StagedPool) {
        firstScopes[Int(index)] = UInt32(truncatingIfNeeded: scopeCount)
        scopeCount += 1 + Int(part.content.callCount)
        parts.append(index)
        usesName[Int(part.name)] = true
        usesFileInCalls[0] = true
        functionStartBits |= part.start
        startBits |= part.start
        startBits |= part.content.startBits
        let chunk = pool.bytes.chunks[Int(part.content.chunk)]
        collectCalls(of: part.content, pool: pool, bytes: chunk.span)
        var position = Int(part.content.firstFile)
        for _ in 0..<part.content.fileCount {
            let file = unsafe Int(chunk.span.leb128(at: &position))
            usesFile[Int(pool.files[file])] = true
        }
    }

    private mutating func collectCalls(
        of part: StagedPart, pool: StagedPool, bytes: Span<UInt8>
    ) {
        var all = callBits
        var position = Int(part.firstCall)
        for _ in 0..<part.callCount {
            let call = unsafe bytes.call(at: &position)
            all.distance |= call.distance
            all.line |= call.line
            all.column |= call.column
            usesName[Int(pool.names[Int(call.name)])] = true
            usesFileInCalls[Int(pool.files[Int(call.file)])] = true
        }
        callBits = all
    }
}
