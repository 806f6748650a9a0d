/// A walk in one line through the bytes of a unit, by a counter of depth and without a stack.
///
/// `DW_AT_sibling` is not used: stepping over what it leaps costs less than reading it, and nothing
/// is missed.
struct MappedWalk: EntryWalk {
    private let unit: MappedUnit
    private let programs: AbbreviationPrograms
    private let bytes: EntryBytes
    private var position: Int
    private var depth = 0
    private(set) var leastDepth = 0
    private(set) var entriesLeft: Int
    private var current = AbbreviationProgram()
    private var values = 0

    /// - Parameter position: Where the first child of the unit's own entry starts.
    init(_ unit: MappedUnit, from position: Int, limit: Int) {
        self.unit = unit
        programs = unit.programs
        bytes = unit.bytes
        self.position = position
        entriesLeft = limit
    }

    mutating func next() throws(DwarfError) -> CodeEntry? {
        leastDepth = .max
        while position < bytes.end, entriesLeft > 0 {
            if depth < leastDepth { leastDepth = depth }
            guard depth <= CodeEntry.depthLimit else { throw tooDeep }
            let place = position
            guard let code = bytes.uleb128(at: &position) else { throw fault(at: place) }
            if code == 0 {
                // A null at depth 0 ends the children of the unit's own entry.
                if depth == 0 { break }
                depth &-= 1
                continue
            }
            let program = programs.program(of: code)
            guard program.tag != 0 else { throw unit.undefined(code, at: UInt64(place)) }
            let start = position
            guard bytes.skip(program, of: programs, at: &position) else { throw fault(at: place) }
            entriesLeft &-= 1
            let placeDepth = depth
            if program.hasChildren { depth &+= 1 }
            if let kind = program.kind {
                current = program
                values = start
                return CodeEntry(kind: kind, offset: UInt64(place), depth: placeDepth)
            }
        }
        position = bytes.end
        return nil
    }

    func forEachAttribute(
        _ body: (borrowing MappedAttribute) throws(DwarfError) -> Void
    ) throws(DwarfError) {
        guard current.mayHaveCode else { return }
        try unit.forEachAttribute(of: current, valuesAt: values, body)
    }

    private func fault(at place: Int) -> DwarfError { unit.leaves(UInt64(place)) }

    private var tooDeep: DwarfError {
        DwarfError(.nesting(limit: CodeEntry.depthLimit), unit: unit.header.offset)
    }
}
