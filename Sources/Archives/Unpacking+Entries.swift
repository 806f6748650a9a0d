extension Unpacking {
    /// Keeps an entry, passes it by, or sets it aside as an archive to be read.
    ///
    /// - Throws: What ends the archive. What is wrong with the entry alone is reported.
    mutating func add(
        _ header: ArchiveReader.Header, of archive: Pending, _ reader: inout ArchiveReader,
        _ isWanted: (ArchiveEntry) -> Bool
    ) throws(ArchiveError.Reason) {
        let stored = reader.isSoleFile ? Array(soleFileName(in: archive).utf8) : header.name
        var shown = String(decoding: stored.prefix(EntryName.lengthLimit), as: UTF8.self)
        do throws(ArchiveError.Reason) {
            let name = try EntryName(stored)
            shown = name.text
            if let reason = header.skipReason(name) {
                result.skip(reason)
            } else if header.kind == .file {
                try addFile(archive.name(of: shown), archive, &reader, isWanted)
            }
            try passBy(&reader)
        } catch {
            if error.endsUnpacking { throw error }
            report(error, archive.name(of: shown))
            if error.isOfName { try passBy(&reader) }
        }
    }

    private mutating func addFile(
        _ name: String, _ archive: Pending, _ reader: inout ArchiveReader,
        _ isWanted: (ArchiveEntry) -> Bool
    ) throws(ArchiveError.Reason) {
        let start = try chunk(&reader, count: ArchiveKind.startLength)
        guard ArchiveKind(start: start) == nil else {
            return try setAside(name, start, archive, &reader)
        }
        guard isWanted(ArchiveEntry(name: name, start: Array(start))) else {
            return result.skip(.unwanted)
        }
        result.files.append(try write(name, start, &reader))
    }

    /// An archive inside is written first: a zip archive is read from its end.
    private mutating func setAside(
        _ name: String, _ start: ArraySlice<UInt8>, _ archive: Pending,
        _ reader: inout ArchiveReader
    ) throws(ArchiveError.Reason) {
        guard archive.depth < limits.depth else { throw .tooDeep(limit: limits.depth) }
        let file = try write(name, start, &reader)
        pending.append(Pending(path: file.path, name: name, depth: archive.depth + 1))
    }

    private mutating func write(
        _ name: String, _ start: ArraySlice<UInt8>, _ reader: inout ArchiveReader
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

    /// Goes to the end of an entry. What has to be unpacked on the way counts as unpacked.
    private mutating func passBy(
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
