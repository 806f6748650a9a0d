/// A linear walk through the bytes of a unit, with a depth counter and no stack.
///
/// `DW_AT_sibling` is ignored: skipping the entries in between is faster than reading it, and no
/// entry is missed.
struct MappedWalk: EntryWalk {
    private let unit: MappedUnit
    private let programs: AbbreviationPrograms
    private let bytes: EntryBytes
    private var place: Place
    /// The last entry returned: its abbreviation, and the start of its values.
    private var current = 0
    private var values = 0

    /// The place of a walk. The hot loop uses a local copy of it.
    private struct Place {
        var position: Int
        var depth = 0
        var leastDepth = 0
        var entriesLeft: Int
    }

    var leastDepth: Int { place.leastDepth }
    var entriesLeft: Int { place.entriesLeft }

    /// - Parameter position: The start of the first child of the unit's own entry.
    init(_ unit: MappedUnit, from position: Int, limit: Int) {
        self.unit = unit
        programs = unit.programs
        bytes = unit.bytes
        place = Place(position: position, entriesLeft: limit)
    }

    mutating func next() throws(DwarfError) -> CodeEntry? {
        let (bytes, programs) = (bytes, programs)
        var place = place
        place.leastDepth = place.depth
        // Every exit writes the place back, including errors.
        defer { self.place = place }
        while place.position < bytes.end, place.entriesLeft > 0 {
            guard place.depth <= CodeEntry.depthLimit else { throw tooDeep }
            let entryStart = place.position
            guard let code = bytes.uleb128(at: &place.position) else { throw fault(at: entryStart) }
            if code == 0 {
                // A null at depth 0 ends the children of the unit's own entry, and the unit.
                if place.depth == 0 {
                    guard isPadding(from: place.position) else { throw endsEarly(entryStart) }
                    break
                }
                place.depth &-= 1
                if place.depth < place.leastDepth { place.leastDepth = place.depth }
                continue
            }
            let number = programs.number(of: code)
            let shape = unsafe programs.shapes[number]
            place.entriesLeft &-= 1
            let valuesStart = place.position
            if shape.fixedSize >= 0 {
                guard bytes.bytes.skip(Int(shape.fixedSize), at: &place.position)
                else { throw fault(at: entryStart) }
                if shape.isPlain { continue }
            } else {
                try skipSteps(number, of: code, from: entryStart, at: &place.position)
            }
            let entryDepth = place.depth
            if shape.hasChildren { place.depth &+= 1 }
            if let kind = shape.kind {
                current = number
                values = valuesStart
                return CodeEntry(kind: kind, offset: UInt64(entryStart), depth: entryDepth)
            }
        }
        place.position = bytes.end
        return nil
    }

    func read(into values: inout EntryValues) throws(DwarfError) {
        values.removeAll(inUnitAt: unit.header.offset)
        let program = unsafe programs.all + current
        guard unsafe program.pointee.mayHaveCode || program.pointee.kind == .inlinedCall
        else { return }
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

    private func isPadding(from position: Int) -> Bool {
        bytes.end &- position <= UnitHeader.paddingLimit
            && bytes.bytes.hasOnlyZeros(from: position)
    }

    /// Only padding may follow the last entry. Otherwise a damaged byte has hidden later entries.
    private func endsEarly(_ offset: Int) -> DwarfError {
        unit.malformed("entries end at .debug_info+0x\(String(offset, radix: 16)), before the unit")
    }

    private var tooDeep: DwarfError {
        DwarfError(.nesting(limit: CodeEntry.depthLimit), unit: unit.header.offset)
    }
}
