/// A linear walk through the bytes of a unit, with a depth counter and no stack.
///
/// `DW_AT_sibling` is ignored: skipping the entries in between is faster than reading it, and no
/// entry is missed.
struct MappedWalk: EntryWalk {
    private let unit: MappedUnit
    private let programs: AbbreviationPrograms
    private let bytes: EntryBytes
    private var position: Int
    private var depth = 0
    private(set) var leastDepth = 0
    private(set) var entriesLeft: Int
    /// The last entry returned: its abbreviation, and the start of its values.
    private var current = 0
    private var values = 0

    /// - Parameter position: The start of the first child of the unit's own entry.
    init(_ unit: MappedUnit, from position: Int, limit: Int) {
        self.unit = unit
        programs = unit.programs
        bytes = unit.bytes
        self.position = position
        entriesLeft = limit
    }

    mutating func next() throws(DwarfError) -> CodeEntry? {
        // The hot loop uses local variables, which are written back on every exit, including
        // errors.
        let (bytes, programs) = (bytes, programs)
        var (position, depth, entriesLeft) = (position, depth, entriesLeft)
        var leastDepth = depth
        defer {
            self.position = position
            self.depth = depth
            self.leastDepth = leastDepth
            self.entriesLeft = entriesLeft
        }
        while position < bytes.end, entriesLeft > 0 {
            guard depth <= CodeEntry.depthLimit else { throw tooDeep }
            let entryStart = position
            guard let code = bytes.uleb128(at: &position) else { throw fault(at: entryStart) }
            if code == 0 {
                // A null at depth 0 ends the children of the unit's own entry, and the unit.
                if depth == 0 {
                    let isPadding = bytes.end &- position <= UnitHeader.paddingLimit
                    if isPadding, bytes.bytes.hasOnlyZeros(from: position) { break }
                    throw endsEarly(entryStart)
                }
                depth &-= 1
                if depth < leastDepth { leastDepth = depth }
                continue
            }
            let number = programs.number(of: code)
            let shape = unsafe programs.shapes[number]
            entriesLeft &-= 1
            if shape.isPlain {
                guard bytes.bytes.skip(Int(shape.fixedSize), at: &position)
                else { throw fault(at: entryStart) }
                continue
            }
            let start = position
            if shape.fixedSize >= 0 {
                guard bytes.bytes.skip(Int(shape.fixedSize), at: &position)
                else { throw fault(at: entryStart) }
            } else {
                try skipSteps(number, of: code, from: entryStart, at: &position)
            }
            let entryDepth = depth
            if shape.hasChildren { depth &+= 1 }
            if let kind = shape.kind {
                current = number
                values = start
                return CodeEntry(kind: kind, offset: UInt64(entryStart), depth: entryDepth)
            }
        }
        position = bytes.end
        return nil
    }

    func read(into values: inout EntryValues) throws(DwarfError) {
        values.removeAll(inUnitAt: unit.header.offset)
        let program = unsafe programs.all + current
        guard unsafe program.pointee.mayHaveCode else { return }
        guard unsafe bytes.read(program, of: programs, at: self.values, into: &values)
        else { throw fault(at: self.values) }
    }

    /// Skips the values of an entry of variable size.
    @inline(__always)
    private func skipSteps(
        _ number: Int, of code: UInt64, from entryStart: Int, at position: inout Int
    ) throws(DwarfError) {
        let program = unsafe programs.all + number
        guard unsafe program.pointee.isDefined
        else { throw unit.undefined(code, at: UInt64(entryStart)) }
        guard unsafe bytes.skip(program, of: programs, at: &position)
        else { throw fault(at: entryStart) }
    }

    private func fault(at offset: Int) -> DwarfError { unit.leaves(UInt64(offset)) }

    /// Only padding may follow the last entry. Otherwise a damaged byte has hidden later entries.
    private func endsEarly(_ offset: Int) -> DwarfError {
        unit.malformed("entries end at .debug_info+0x\(String(offset, radix: 16)), before the unit")
    }

    private var tooDeep: DwarfError {
        DwarfError(.nesting(limit: CodeEntry.depthLimit), unit: unit.header.offset)
    }
}
