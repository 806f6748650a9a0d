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
        let group = Int(name.rawValue) / IndexLayout.namesPerGroup
        guard Int(name.rawValue) < shape.counts.names else { throw nameGroups.corrupt(at: group) }
        var place = try nameGroups.word(group)
        var count = 0
        for position in 0...Int(name.rawValue) % IndexLayout.namesPerGroup {
            let change = try nameBytes.nameChange(at: place, isFirst: position == 0)
            guard change.shared <= count, change.added <= IndexLimits.nameBytes &- change.shared
            else { throw nameBytes.corrupt(at: place) }
            let end = change.start + change.added
            try room.copy(change.start..<end, of: nameBytes, to: change.shared)
            count = change.shared + change.added
            place = end
        }
        return count
    }

    /// Copies folder, separator and last component of a file.
    ///
    /// - Parameter room: Of at least ``TextRoom/path`` bytes.
    /// - Returns: How many bytes the path has.
    @inline(__always)
    func copyPath(of file: IndexedFile, to room: TextRoom) throws(SymbolIndexError) -> Int {
        let folder = try fileText(at: try files.word(Int(file.rawValue) * 2))
        let name = try fileText(at: try files.word(Int(file.rawValue) * 2 + 1))
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
        SourceFile(
            folder: try fileStrings.string(of: fileText(at: files.word(Int(file.rawValue) * 2))),
            name: try fileName(file))
    }

    /// The last component of a file.
    func fileName(_ file: IndexedFile) throws(SymbolIndexError) -> String {
        try fileStrings.string(of: fileText(at: files.word(Int(file.rawValue) * 2 + 1)))
    }

    /// Where a text of the file strings lies, without the zero at its end.
    @inline(__always)
    private func fileText(at place: Int) throws(SymbolIndexError) -> Range<Int> {
        try fileStrings.textRange(at: place, limit: IndexLimits.pathBytes)
    }
}
