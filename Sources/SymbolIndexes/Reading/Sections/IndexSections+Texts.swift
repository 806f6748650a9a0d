import CallStacks

extension IndexSections {
    /// Returns the text of a name, with invalid UTF-8 replaced.
    func name(_ name: IndexedName) throws(SymbolIndexError) -> String? {
        let text = unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: TextBuffer.name) {
            buffer -> Result<String?, SymbolIndexError> in
            do throws(SymbolIndexError) {
                let room = unsafe TextBuffer(buffer)
                let count = try copy(name, to: room)
                return .success(count == 0 ? nil : room.string(count: count))
            } catch {
                return .failure(error)
            }
        }
        return try text.get()
    }

    /// Decodes a name: the group's first name, then one change after another.
    ///
    /// - Parameter room: A buffer of at least ``TextBuffer/name`` bytes.
    /// - Returns: The length of the name in bytes.
    @inline(__always)
    private func copy(_ name: IndexedName, to room: TextBuffer) throws(SymbolIndexError) -> Int {
        var change = try nameBytes.nameChange(at: try group(of: name), isFirst: true)
        var count = 0
        var rest = Int(name.rawValue) % IndexLayout.namesPerGroup
        while true {
            guard change.shared <= count, change.added <= IndexLimits.nameBytes &- change.shared
            else { throw nameBytes.corrupt(at: change.start) }
            let end = change.start + change.added
            try room.copy(change.start..<end, of: nameBytes, to: change.shared)
            count = change.shared + change.added
            if rest == 0 { return count }
            rest -= 1
            change = try nameBytes.nameChange(at: end, isFirst: false)
        }
    }

    /// Returns the start of a name's group, after verifying all bytes of the group.
    @inline(__always)
    private func group(of name: IndexedName) throws(SymbolIndexError) -> Int {
        let group = Int(name.rawValue) / IndexLayout.namesPerGroup
        guard Int(name.rawValue) < shape.counts.names else { throw nameGroups.corrupt(at: group) }
        let isLast = group &+ 1 == nameGroups.count / 4
        try verify(group, count: isLast ? 1 : 2, of: nameGroups)
        let start = try nameGroups.word(group)
        let end = isLast ? nameBytes.count : try nameGroups.word(group &+ 1)
        guard start <= end else { throw nameGroups.corrupt(at: group) }
        try chunks.verify(start..<end, of: nameBytes)
        return start
    }

    func file(_ file: IndexedFile) throws(SymbolIndexError) -> SourceFile {
        let (folder, name) = try texts(of: file)
        return SourceFile(
            folder: try fileStrings.string(of: folder), name: try fileStrings.string(of: name))
    }

    /// Whether the last component of a file is `name`.
    func isNamed(_ file: IndexedFile, _ name: String) throws(SymbolIndexError) -> Bool {
        try fileStrings.isEqual(texts(of: file).name, to: name)
    }

    /// Returns the ranges of a file's folder and last component in the file strings.
    @inline(__always)
    private func texts(
        of file: IndexedFile
    ) throws(SymbolIndexError) -> (folder: Range<Int>, name: Range<Int>) {
        let index = Int(file.rawValue) * 2
        try verify(index, count: 2, of: files)
        return (try fileText(at: files.word(index)), try fileText(at: files.word(index + 1)))
    }

    /// Returns the range of a text in the file strings, without the zero at its end.
    @inline(__always)
    private func fileText(at position: Int) throws(SymbolIndexError) -> Range<Int> {
        let text = try fileStrings.textRange(at: position, limit: IndexLimits.pathBytes)
        // Verify all bytes searched, including the zero: a damaged text may end elsewhere.
        try chunks.verify(text.lowerBound..<text.upperBound &+ 1, of: fileStrings)
        return text
    }
}
