/// Gives the scopes of the index their numbers, and notes which names and files the index needs.
struct ScopeNumbering {
    /// The scopes of the index, with names and files as the builder numbers them.
    private(set) var scopes: [StagedScope] = []
    /// The starts of those scopes that are functions, in their order.
    private(set) var functionStarts: [UInt64] = []
    private(set) var usesName: [Bool]
    /// By number + 1, as files of entries and scopes are.
    private(set) var usesFile: [Bool]
    /// All starts, one bit for each that some start has.
    private(set) var startBits: UInt64 = 0
    /// For each scope of a part its number + 1, while the part is numbered.
    private var numbers: [UInt32]
    private var used: [Int] = []

    init(_ builder: borrowing SymbolIndexBuilder) {
        usesName = Array(repeating: false, count: builder.names.count)
        usesFile = Array(repeating: false, count: builder.files.entries.count + 1)
        numbers = Array(repeating: 0, count: builder.scopes.count)
    }

    /// Copies the scopes that a part uses, and makes its entries name the copies.
    ///
    /// Every part has its own, also where a function has several: only so can a part have a name and
    /// a start of its own. The copies take the order of the originals, outermost first.
    mutating func number(_ part: CodePart, of builder: inout SymbolIndexBuilder) {
        collectUsed(part, builder)
        used.sort()
        let first = scopes.count
        for (index, scope) in used.enumerated() { numbers[scope] = UInt32(first + index) + 1 }
        for scope in used { append(builder.scopes[scope], at: scope, of: part) }
        for index in part.entries {
            let entry = builder.entries[index]
            builder.entries[index].scope = numbers[Int(part.firstScope + entry.scope)] - 1
            usesFile[Int(entry.file)] = true
            startBits |= entry.start
        }
        startBits |= part.start
        for scope in used { numbers[scope] = 0 }
    }

    private mutating func collectUsed(_ part: CodePart, _ builder: borrowing SymbolIndexBuilder) {
        used.removeAll(keepingCapacity: true)
        for index in part.entries {
            var scope = Int(part.firstScope + builder.entries[index].scope)
            while numbers[scope] == 0 {
                numbers[scope] = 1
                used.append(scope)
                scope -= Int(builder.scopes[scope].distance)
            }
        }
    }

    private mutating func append(_ original: StagedScope, at scope: Int, of part: CodePart) {
        var copy = original
        if original.distance == 0 {
            copy.name = part.name
            functionStarts.append(part.start)
        } else {
            copy.distance = numbers[scope] - numbers[scope - Int(original.distance)]
        }
        // One wide column would make every record wider; beyond this it is as good as unknown.
        if copy.column > IndexLimits.callColumn { copy.column = 0 }
        usesName[Int(copy.name)] = true
        usesFile[Int(copy.file)] = true
        scopes.append(copy)
    }
}
