import ByteReading
import CallStacks
import MachO

/// The available files of a shared cache.
struct CacheParts: Sendable {
    let main: CacheFile
    private(set) var names: [String]
    private(set) var files: [FileBytes]
    private(set) var memory = CacheMemory()
    private(set) var movedSymbols: MovedSymbols?
    private(set) var problems: [CacheProblem] = []
    /// Whether every subcache that the main file lists was found.
    private(set) var hasAllSubcaches = true

    /// The maximum number of subcaches; real caches have some eighty.
    static let subcacheCountLimit: UInt64 = 256

    init(
        main bytes: FileBytes, name: String, _ readPart: SharedCache.PartReader
    ) throws(SharedCacheError.Reason) {
        main = try CacheFile(bytes, name: name)
        names = [name]
        files = [bytes]
        add(main)
        let subcaches = try Subcache.list(of: main)
        let announced = UInt64(subcaches.count) < main.header.subcaches.count
        if announced {
            hasAllSubcaches = false
            record(.truncated, "the table of subcaches leaves the file")
        }
        addSubcaches(subcaches, readPart)
        addMovedSymbols(readPart)
        if memory.hasOverlaps {
            record(.overlappingMappings, "two files map one address: the first one is read")
        }
        if memory.hasOverflows { record(.malformed, "a mapping leaves the address space") }
    }

    private mutating func addSubcaches(
        _ subcaches: [Subcache], _ readPart: SharedCache.PartReader
    ) {
        var missing: [String] = []
        for subcache in subcaches {
            guard CacheFileName.isEnding(subcache.ending) else {
                hasAllSubcaches = false
                record(.malformed, "a subcache has the ending '\(subcache.ending)'")
                continue
            }
            let name = subcache.fileName(main)
            guard let bytes = readPart(name) else {
                missing.append(name)
                continue
            }
            if let file = part(bytes, name, uuid: subcache.uuid) {
                files.append(bytes)
                names.append(name)
                add(file)
            } else {
                hasAllSubcaches = false
            }
        }
        if !missing.isEmpty {
            hasAllSubcaches = false
            record(.subcacheMissing, Self.copyAdvice(missing))
        }
    }

    /// Maps a file, and warns if it ends before its mappings do.
    private mutating func add(_ file: CacheFile) {
        memory.add(file)
        let size = UInt64(file.bytes.count)
        if let end = file.mappedByteCount, end > size {
            record(.truncated, "\(file.name) has \(size) of \(end) bytes: copy it again")
        }
    }

    private mutating func addMovedSymbols(_ readPart: SharedCache.PartReader) {
        guard let uuid = main.header.symbolsFileUUID else {
            if main.header.localSymbols.offset != 0 { readMovedSymbols(in: main) }
            return
        }
        let name = CacheFileName(main.name)
        let names = [name.withoutDevelopment, name.text].map { $0 + CacheFileName.symbolsEnding }
        for name in names {
            guard let bytes = readPart(name) else { continue }
            guard let file = part(bytes, name, uuid: uuid) else { return }
            files.append(bytes)
            self.names.append(name)
            return readMovedSymbols(in: file)
        }
        record(.symbolsFileMissing, "copy \(names[0]) as well")
    }

    private mutating func readMovedSymbols(in file: CacheFile) {
        do throws(ReadingError) {
            movedSymbols = try MovedSymbols(
                in: file, isKeyedByAddress: main.header.hasWideLocalEntries)
        } catch {
            problems.append(CacheProblem(error, of: file.name))
        }
    }

    /// Returns a file that matches the main file's header, or adds a problem and returns `nil`.
    private mutating func part(_ bytes: FileBytes, _ name: String, uuid: [UInt8]) -> CacheFile? {
        do throws(SharedCacheError.Reason) {
            let file = try CacheFile(bytes, name: name)
            if file.header.uuid == uuid { return file }
            record(.otherCache, "\(name) is of another cache: it is not used")
        } catch {
            if case .reading(let reading) = error {
                problems.append(CacheProblem(reading, of: name))
            } else {
                record(
                    bytes.count < CacheMagic.length ? .truncated : .malformed, "\(name) \(error)")
            }
        }
        return nil
    }

    private mutating func record(_ code: CacheProblem.Code, _ text: String) {
        problems.append(CacheProblem(code, text))
    }

    /// The maximum number of missing files that are listed by name.
    private static let listedLimit = 3

    private static func copyAdvice(_ missing: [String]) -> String {
        let listed = missing.prefix(listedLimit).joined(separator: ", ")
        let rest = missing.count - min(missing.count, listedLimit)
        return "copy \(listed)\(rest > 0 ? " and \(rest) more files" : "") as well"
    }
}

/// An entry of the main file's subcache table (`dyld_subcache_entry`).
struct Subcache {
    let uuid: [UInt8]
    let ending: String

    private static let endingBytes = 32

    /// Returns the entries of the table that are within the file.
    static func list(of main: CacheFile) throws(SharedCacheError.Reason) -> [Self] {
        let table = main.header.subcaches
        guard table.count <= CacheParts.subcacheCountLimit else {
            throw .tooMany(
                "subcaches", count: table.count, limit: CacheParts.subcacheCountLimit)
        }
        var subcaches: [Self] = []
        for number in 0..<table.count {
            guard let subcache = try? Self(number, of: main) else { break }
            subcaches.append(subcache)
        }
        return subcaches
    }

    private init(_ number: UInt64, of main: CacheFile) throws(ReadingError) {
        let isNamed = main.header.namesSubcaches
        let offset = main.header.subcaches.offset + number * (isNamed ? 56 : 24)
        uuid = try main.bytes.uuid(at: offset)
        try main.bytes.check(isNamed ? 56 : 24, at: offset)
        guard isNamed else {
            ending = ".\(number + 1)"
            return
        }
        let start = Int(offset) + 24
        let field = start..<start + Self.endingBytes
        let length = main.bytes.withSpan(of: field) { bytes in
            bytes.indices.first { bytes[$0] == 0 } ?? bytes.count
        }
        ending = main.bytes.string(of: start..<start + length)
    }

    /// Returns the name of the subcache's file, which is next to the main file.
    func fileName(_ main: CacheFile) -> String {
        let isShared =
            main.header.namesSubcaches && main.header.kind == CacheHeader.universalKind
        let name = CacheFileName(main.name)
        return (isShared ? name.withoutDevelopment : name.text) + ending
    }
}

extension CacheProblem {
    init(_ error: ReadingError, of fileName: String = "") {
        let text = fileName.isEmpty ? error.description : "\(fileName): \(error)"
        if case .needs = error.reason {
            self.init(.truncated, text)
        } else {
            self.init(.malformed, text)
        }
    }
}
