import CallStacks

extension IndexSections {
    /// - Parameter buffer: Any; frames of one answer share it, so that it is allocated once.
    func sourceFrame(
        _ frame: NumberedFrame, _ buffer: inout [UInt8]
    ) throws(SymbolIndexError) -> SourceFrame {
        var file: SourceFile?
        if let number = frame.file { file = try self.file(number) }
        return SourceFrame(
            function: try name(frame.name, &buffer), file: file, line: frame.line,
            column: frame.column,
            isInlined: frame.isInlined)
    }

    /// The text of a name; what is not UTF-8 in it is replaced.
    func name(_ name: IndexedName) throws(SymbolIndexError) -> String? {
        var buffer: [UInt8] = []
        return try self.name(name, &buffer)
    }

    private func name(
        _ name: IndexedName, _ buffer: inout [UInt8]
    ) throws(SymbolIndexError) -> String? {
        buffer.removeAll(keepingCapacity: true)
        try read(name, into: &buffer)
        return buffer.isEmpty ? nil : String(decoding: buffer, as: UTF8.self)
    }

    /// Decodes a name: that of the group's first, then one change after another.
    private func read(
        _ name: IndexedName, into buffer: inout [UInt8]
    ) throws(SymbolIndexError) {
        let group = Int(name.rawValue) / IndexLayout.namesPerGroup
        guard Int(name.rawValue) < shape.counts.names else { throw nameGroups.corrupt(at: group) }
        var place = try nameGroups.word(group)
        for position in 0...Int(name.rawValue) % IndexLayout.namesPerGroup {
            let first = place
            let shared =
                position == 0 ? 0 : try nameBytes.leb128(at: &place, end: nameBytes.count)
            let added = try nameBytes.leb128(at: &place, end: nameBytes.count)
            guard shared <= UInt64(buffer.count), added <= UInt64(IndexLimits.nameBytes) - shared
            else { throw nameBytes.corrupt(at: first) }
            buffer.removeLast(buffer.count - Int(shared))
            let end = place + Int(added)
            unsafe try nameBytes.withBytes(of: place..<end) { unsafe buffer.append(contentsOf: $0) }
            place = end
        }
    }

    func file(_ file: IndexedFile) throws(SymbolIndexError) -> SourceFile {
        SourceFile(
            folder: try fileText(at: try files.word(Int(file.rawValue) * 2)),
            name: try fileName(file))
    }

    /// The last component of a file.
    func fileName(_ file: IndexedFile) throws(SymbolIndexError) -> String {
        try fileText(at: try files.word(Int(file.rawValue) * 2 + 1))
    }

    private func fileText(at place: Int) throws(SymbolIndexError) -> String {
        var end = place
        while try fileStrings.byte(at: end) != 0 {
            end += 1
            if end - place > IndexLimits.pathBytes { throw fileStrings.corrupt(at: place) }
        }
        return try unsafe fileStrings.withBytes(of: place..<end) {
            unsafe String(decoding: $0, as: UTF8.self)
        }
    }
}
