/// Packs libraries into a dyld shared cache, in the layouts of its builder over the years.
///
/// The layouts follow `dyld_cache_format.h` and the builder of Apple's open dyld: headers, tables,
/// moved local symbols, redacted names, and separate link-edit data.
public struct SharedCacheBuilder: Sendable {
    public enum Layout: String, CaseIterable, Sendable {
        case iOS14, iOS15, iOS16, iOS26, iOS27, macOS

        /// The size of the main header, which identifies the version.
        public var headerSize: Int {
            switch self {
            case .iOS14: 0x140
            case .iOS15: 0x1c8
            case .iOS16: 0x200
            case .iOS26, .macOS: 0x228
            case .iOS27: 0x238
            }
        }

        public var hasSubcaches: Bool { self != .iOS14 && self != .macOS }
        public var movesLocals: Bool { self != .macOS }
        var namesSubcaches: Bool { headerSize > 0x1c8 }
        var magic: String { self == .iOS27 ? "dyld_v1arm64ex1" : "dyld_v1  arm64e" }
    }

    /// One file of a cache.
    public struct File: Sendable {
        public var name: String
        public var bytes: [UInt8]
    }

    public var layout: Layout
    public var libraries: [CachedLibrary]
    public var name = "dyld_shared_cache_arm64e"
    public var magic: String
    public var kind: UInt64 = 1
    /// The file offset that the segments of link-edit data have.
    public var linkEditFileOffset: UInt64 = 0x1000
    /// Whether each half of the libraries has its own link-edit data.
    public var splitsLinkEdit = false
    /// The order of the entries of local symbols, by numbers of libraries. An omitted library has
    /// none.
    public var localEntries: [Int]
    /// Whether images are in the table of texts, with their identities.
    public var hasImageTexts = true
    /// Whether the header refers to a `.symbols` file.
    public var announcesSymbols: Bool

    /// The first address, as the systems of 64 and of 32 bits have it.
    public var base: UInt64 { libraries.allSatisfy(\.is64Bit) ? 0x1_8000_0000 : 0x1a00_0000 }
    static let page = 0x1000

    public init(_ layout: Layout, _ libraries: [CachedLibrary] = CachedLibrary.examples) {
        self.layout = layout
        self.libraries = libraries
        magic = layout.magic
        localEntries = Array(libraries.indices)
        announcesSymbols = layout.movesLocals && layout.hasSubcaches
    }

    /// The files, the main file first.
    public func files() -> [File] {
        let plan = CachePlan(self)
        var files = plan.parts.map { part in File(name: name(part.ending), bytes: part.bytes) }
        var main = header(of: plan.parts[0], number: 0, plan: plan)
        main += tables(after: main.count, plan, header: &main)
        files[0].bytes.replaceSubrange(0..<main.count, with: main)
        for number in plan.parts.indices.dropFirst() {
            let header = header(of: plan.parts[number], number: number, plan: plan)
            files[number].bytes.replaceSubrange(0..<header.count, with: header)
        }
        if layout.movesLocals {
            if layout.hasSubcaches {
                files.append(symbolsFile(plan))
            } else {
                let start = files[0].bytes.count
                files[0].bytes += plan.localSymbols
                put(UInt64(start), at: 0x48, in: &files[0].bytes)
                put(UInt64(plan.localSymbols.count), at: 0x50, in: &files[0].bytes)
            }
        }
        return files
    }

    /// Returns the concatenated files, each after its size in four bytes.
    public func packed() -> [UInt8] {
        var packed = ByteWriter()
        for file in files() {
            packed.add(UInt32(file.bytes.count))
            packed.add(file.bytes)
        }
        return packed.bytes
    }

    /// The address of a library in the cache.
    public func address(of library: Int) -> UInt64 { CachePlan(self).textAddresses[library] }

    func uuid(of ending: String) -> [UInt8] {
        Array("cache\(ending)................".utf8.prefix(16))
    }

    private func name(_ ending: String) -> String {
        let isShared = kind == 2 && layout.namesSubcaches && !ending.isEmpty
        return (isShared ? String(name.split(separator: ".")[0]) : name) + ending
    }

    private func header(of part: CachePlan.Part, number: Int, plan: CachePlan) -> [UInt8] {
        var header = [UInt8](repeating: 0, count: layout.headerSize)
        header.replaceSubrange(0..<magic.utf8.count, with: magic.utf8)
        put(UInt32(header.count), at: 0x10, in: &header)
        put(UInt32(part.mappings.count), at: 0x14, in: &header)
        header.replaceSubrange(0x58..<0x68, with: uuid(of: part.ending))
        put(kind, at: 0x68, in: &header)
        put(2 as UInt32, at: 0xd8, in: &header)
        put(UInt32(26 << 16 | 1 << 8), at: 0x16c, in: &header)
        for mapping in part.mappings {
            var record = ByteWriter()
            for word in [mapping.address, mapping.size, mapping.fileOffset] { record.add(word) }
            record.add(5 as UInt32)
            record.add(5 as UInt32)
            header += record.bytes
        }
        return header
    }

    /// Returns the tables of images and subcaches, and the paths. Their offsets are written to the
    /// header.
    private func tables(after start: Int, _ plan: CachePlan, header: inout [UInt8]) -> [UInt8] {
        let subcaches = Array(plan.parts.dropFirst())
        let entrySize = layout.namesSubcaches ? 56 : 24
        let texts = start + 32 * libraries.count
        let parts = texts + 32 * libraries.count
        var path = parts + entrySize * subcaches.count
        var (images, textTable, paths) = (ByteWriter(), ByteWriter(), ByteWriter())
        for (library, address) in zip(libraries, plan.textAddresses) {
            images.add(address)
            images.add([UInt8](repeating: 0, count: 16))
            images.add(UInt32(path))
            images.add(0 as UInt32)
            textTable.add(library.uuid)
            textTable.add(address)
            textTable.add(UInt32(library.textSize))
            textTable.add(UInt32(path))
            paths.add(Array(library.path.utf8) + [0])
            path += library.path.utf8.count + 1
        }
        var partTable = ByteWriter()
        for part in subcaches {
            partTable.add(uuid(of: part.ending))
            partTable.add(part.mappings[0].address - base)
            if layout.namesSubcaches { partTable.add(part.ending, field: 32) }
        }
        let field = layout.headerSize >= 0x1c8 ? 0x1c0 : 0x18
        put(UInt32(start), at: field, in: &header)
        put(UInt32(libraries.count), at: field + 4, in: &header)
        if hasImageTexts {
            put(UInt64(texts), at: 0x88, in: &header)
            put(UInt64(libraries.count), at: 0x90, in: &header)
        }
        if !subcaches.isEmpty {
            put(UInt32(parts), at: 0x188, in: &header)
            put(UInt32(subcaches.count), at: 0x18c, in: &header)
        }
        if announcesSymbols {
            header.replaceSubrange(0x190..<0x1a0, with: uuid(of: ".symbols"))
        }
        return images.bytes + textTable.bytes + partTable.bytes + paths.bytes
    }

    private func symbolsFile(_ plan: CachePlan) -> File {
        let part = CachePlan.Part(ending: ".symbols", mappings: [], bytes: [])
        var bytes = header(of: part, number: 0, plan: plan)
        let start = bytes.count
        put(UInt64(start), at: 0x48, in: &bytes)
        put(UInt64(plan.localSymbols.count), at: 0x50, in: &bytes)
        return File(name: name(".symbols"), bytes: bytes + plan.localSymbols)
    }

    /// Writes a number if the header has the field.
    private func put(_ number: some FixedWidthInteger, at place: Int, in bytes: inout [UInt8]) {
        var field = ByteWriter()
        field.add(number)
        guard place + field.bytes.count <= layout.headerSize else { return }
        bytes.replaceSubrange(place..<place + field.bytes.count, with: field.bytes)
    }
}
