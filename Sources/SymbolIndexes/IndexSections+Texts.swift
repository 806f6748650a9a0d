import CallStacks

extension IndexSections {
    func sourceFrame(_ frame: NumberedFrame) throws(SymbolIndexError) -> SourceFrame {
        var file: SourceFile?
        if let number = frame.file { file = try self.file(number) }
        return SourceFrame(
            function: try name(frame.name), file: file, line: frame.line, column: frame.column,
            isInlined: frame.isInlined)
    }

    /// The text of a name; what is not UTF-8 in it is replaced.
    func name(_ name: IndexedName) throws(SymbolIndexError) -> String? {
        let text = unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: TextRoom.name) {
            buffer -> Result<String?, SymbolIndexError> in
            do throws(SymbolIndexError) {
                let room = unsafe TextRoom(buffer, from: 0)
                let count = try copy(name, to: room)
                return .success(count == 0 ? nil : room.string(count: count))
            } catch {
                return .failure(error)
            }
        }
        return try text.get()
    }

    /// Decodes a name: that of the group's first, then one change after another.
    ///
    /// - Parameter room: Of at least ``TextRoom/name`` bytes.
    /// - Returns: How many bytes the name has.
    @inline(__always)
    func copy(_ name: IndexedName, to room: TextRoom) throws(SymbolIndexError) -> Int {
        try copy(name, from: try nameChange(at: try group(of: name), isFirst: true), to: room)
    }

    /// Where the group of a name starts. All bytes of the group are compared with their checksums.
    @inline(__always)
    func group(of name: IndexedName) throws(SymbolIndexError) -> Int {
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

    @inline(__always)
    func nameChange(at place: Int, isFirst: Bool) throws(SymbolIndexError) -> NameChange {
        try nameBytes.nameChange(at: place, isFirst: isFirst)
    }

    /// - Parameter first: What the group of the name begins with.
    @inline(__always)
    func copy(
        _ name: IndexedName, from first: NameChange, to room: TextRoom
    ) throws(SymbolIndexError) -> Int {
        var change = first
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
            change = try nameChange(at: end, isFirst: false)
        }
    }

    /// Copies folder, separator and last component of a file.
    ///
    /// - Parameter room: Of at least ``TextRoom/path`` bytes.
    /// - Returns: How many bytes the path has.
    @inline(__always)
    func copyPath(of file: IndexedFile, to room: TextRoom) throws(SymbolIndexError) -> Int {
        let (folder, name) = try texts(of: file)
        try room.copy(folder, of: fileStrings, to: 0)
        var end = folder.count
        if let separator = SourceFile.separator(
            last: end == 0 ? nil : room.byte(at: end - 1),
            holds: { room.holds($0, inFirst: end) })
        {
            room.put(separator, at: end)
            end += 1
        }
        try room.copy(name, of: fileStrings, to: end)
        return end + name.count
    }

    func file(_ file: IndexedFile) throws(SymbolIndexError) -> SourceFile {
        let (folder, name) = try texts(of: file)
        return SourceFile(
            folder: try fileStrings.string(of: folder), name: try fileStrings.string(of: name))
    }

    /// The last component of a file.
    func fileName(_ file: IndexedFile) throws(SymbolIndexError) -> String {
        try fileStrings.string(of: texts(of: file).name)
    }

    /// Where folder and last component of a file are in the file strings.
    @inline(__always)
    private func texts(
        of file: IndexedFile
    ) throws(SymbolIndexError) -> (folder: Range<Int>, name: Range<Int>) {
        let place = Int(file.rawValue) * 2
        try verify(place, count: 2, of: files)
        return (try fileText(at: files.word(place)), try fileText(at: files.word(place + 1)))
    }

    /// Where a text of the file strings is, without the zero at its end.
    @inline(__always)
    private func fileText(at place: Int) throws(SymbolIndexError) -> Range<Int> {
        let text = try fileStrings.textRange(at: place, limit: IndexLimits.pathBytes)
        // All that was searched, the zero included: a damaged text may end elsewhere.
        try chunks.verify(text.lowerBound..<text.upperBound &+ 1, of: fileStrings)
        return text
    }
}
