extension Unpacker {
    /// Keeps an entry, skips it, or enqueues it as an archive.
    ///
    /// - Throws: An error of the whole archive. Errors of one entry are reported.
    mutating func add(
        _ header: ArchiveReader.Header, of archive: Pending, _ reader: inout ArchiveReader,
        _ isWanted: (ArchiveMember) -> Bool
    ) throws(ArchiveError.Reason) {
        let stored = reader.isSingleFile ? Array(singleFileName(in: archive).utf8) : header.name
        var shown = String(decoding: stored.prefix(EntryName.lengthLimit), as: UTF8.self)
        do throws(ArchiveError.Reason) {
            let name = try EntryName(stored)
            shown = name.text
            if let reason = header.skipReason(name) {
                result.skip(reason)
            } else if header.kind == .file {
                try addFile(archive.name(of: shown), archive, reader: &reader, isWanted)
            }
            try skipEntry(&reader)
        } catch {
            if error.endsUnpacking { throw error }
            report(error, archive.name(of: shown))
            if error.concernsName { try skipEntry(&reader) }
        }
    }

    private mutating func addFile(
        _ name: String, _ archive: Pending, reader: inout ArchiveReader,
        _ isWanted: (ArchiveMember) -> Bool
    ) throws(ArchiveError.Reason) {
        let start = try chunk(&reader, count: ArchiveKind.startLength)
        guard ArchiveKind(start: start) == nil else {
            return try enqueue(name, start, archive: archive, reader: &reader)
        }
        guard isWanted(ArchiveMember(name: name, start: Array(start))) else {
            return result.skip(.unwanted)
        }
        result.files.append(try write(name, start, reader: &reader))
    }

    /// Writes a nested archive to disk and enqueues it. It must be on disk because zip archives are
    /// read from their end.
    private mutating func enqueue(
        _ name: String, _ start: ArraySlice<UInt8>, archive: Pending,
        reader: inout ArchiveReader
    ) throws(ArchiveError.Reason) {
        guard archive.depth < limits.depth else { throw .tooDeep(limit: limits.depth) }
        let file = try write(name, start, reader: &reader)
        pending.append(Pending(path: file.path, name: name, depth: archive.depth + 1))
    }

    private mutating func write(
        _ name: String, _ start: ArraySlice<UInt8>, reader: inout ArchiveReader
    ) throws(ArchiveError.Reason) -> UnpackedArchive.File {
        var draft = try folder.newFile()
        do throws(ArchiveError.Reason) {
            var bytes = start
            while !bytes.isEmpty {
                try draft.write(bytes)
                bytes = try chunk(&reader)
            }
        } catch {
            folder.remove(draft.path)
            throw error
        }
        return UnpackedArchive.File(path: draft.path, name: name, byteCount: draft.byteCount)
    }

    /// Skips to the end of an entry. Bytes unpacked on the way count against the budget.
    private mutating func skipEntry(
        _ reader: inout ArchiveReader
    ) throws(ArchiveError.Reason) {
        guard !reader.skipsFreely, !reader.isBroken else { return }
        while try !chunk(&reader).isEmpty {}
    }
}

extension ArchiveReader.Header {
    func skipReason(_ name: EntryName) -> UnpackedArchive.SkipReason? {
        switch kind {
        case .folder: nil
        case .link: .link
        case .device: .device
        case .file: name.isResidue || name.text.isEmpty ? .residue : nil
        }
    }
}
