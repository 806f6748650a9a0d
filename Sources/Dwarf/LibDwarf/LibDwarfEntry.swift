import CLibDwarf

/// A debugging information entry (DIE), freed on `deinit`.
@safe
struct LibDwarfEntry: ~Copyable {
    private let die: Dwarf_Die
    let unit: LibDwarfUnit
    /// The `DW_TAG_` number.
    let tag: UInt16
    /// The offset in `.debug_info`.
    let offset: UInt64
    /// Whether its abbreviation has the flag for children.
    let hasChildren: Bool

    /// Takes ownership of `die`.
    @unsafe
    init(_ die: Dwarf_Die, of unit: LibDwarfUnit) {
        unsafe self.die = die
        self.unit = unit
        var tag: Dwarf_Half = 0
        var children: Dwarf_Half = 0
        var offset: Dwarf_Off = 0
        // These calls cannot fail for an entry from libdwarf.
        unsafe dwarf_tag(die, &tag, nil)
        unsafe dwarf_die_abbrev_children_flag(die, &children)
        unsafe dwarf_dieoffset(die, &offset, nil)
        self.tag = tag
        self.offset = unit.header.offset + offset
        hasChildren = children != 0
    }

    deinit { unsafe dwarf_dealloc_die(die) }

    func firstChild() throws(DwarfError) -> LibDwarfEntry? {
        guard hasChildren else { return nil }
        let child = try unsafe unit.read(Dwarf_Die?.none) { unsafe dwarf_child(die, &$0, $1) }
        guard let child = unsafe child ?? nil else { return nil }
        return unsafe LibDwarfEntry(child, of: unit)
    }

    /// Returns the next entry of the same parent.
    ///
    /// Without `DW_AT_sibling`, libdwarf reads all descendants to find it.
    func nextSibling() throws(DwarfError) -> LibDwarfEntry? {
        let sibling = try unsafe unit.read(Dwarf_Die?.none) {
            unsafe dwarf_siblingof_b(unit.handle, die, 1, &$0, $1)
        }
        guard let sibling = unsafe sibling ?? nil else { return nil }
        return unsafe LibDwarfEntry(sibling, of: unit)
    }

    /// Fills `values` from the attributes. Unreadable ones are skipped, and the first error is
    /// ``EntryValues/fault``.
    func read(into values: inout EntryValues) throws(DwarfError) {
        guard let subject = EntrySubject(tag: tag) else { return }
        let list = try attributes()
        for index in 0..<list.count {
            do throws(DwarfError) {
                guard let attribute = try list.attribute(index),
                    let slot = attribute.slot(of: subject),
                    let value = try attribute.value()
                else { continue }
                values.set(slot, form: UInt16(truncatingIfNeeded: attribute.form), number: value)
            } catch {
                values.fault = values.fault ?? error
            }
        }
    }

    private func attributes() throws(DwarfError) -> LibDwarfAttributeList {
        var count: Dwarf_Signed = 0
        let list = try unsafe unit.read(UnsafeMutablePointer<Dwarf_Attribute?>?.none) {
            unsafe dwarf_attrlist(die, &$0, &count, $1)
        }
        return unsafe LibDwarfAttributeList(list ?? nil, count: Int(count), of: unit)
    }
}

/// The attributes of an entry, freed together. The entry must outlive them.
@safe
private struct LibDwarfAttributeList: ~Copyable {
    private let list: UnsafeMutablePointer<Dwarf_Attribute?>?
    private let unit: LibDwarfUnit
    let count: Int

    @unsafe
    init(_ list: UnsafeMutablePointer<Dwarf_Attribute?>?, count: Int, of unit: LibDwarfUnit) {
        unsafe self.list = list
        self.unit = unit
        self.count = unsafe list == nil ? 0 : count
    }

    deinit {
        guard let list = unsafe list else { return }
        for index in 0..<count { unsafe dwarf_dealloc_attribute(list[index]) }
        unsafe dwarf_dealloc(unit.handle, list, UInt64(DW_DLA_LIST))
    }

    /// Returns the attribute at `index`, valid as long as the list.
    func attribute(_ index: Int) throws(DwarfError) -> LibDwarfAttribute? {
        guard let raw = unsafe list?[index] else { return nil }
        return try unsafe LibDwarfAttribute(raw, of: unit)
    }
}
