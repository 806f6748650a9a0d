import Algorithms
public import ByteReading
public import CallStacks
public import MachO

/// A dyld shared cache: Apple's libraries for one system and architecture, linked into a few files.
///
/// The files are mapped. Opening a cache reads only headers and tables, some hundred kilobytes out
/// of gigabytes; an image's own bytes are read on demand.
public struct SharedCache: Sendable {
    /// Returns the bytes of the named file next to the main file, or `nil` if it cannot be read.
    public typealias PartReader = (_ fileName: String) -> FileBytes?

    /// The images in the order of the tables, one per address.
    public private(set) var images: [CachedImage] = []
    /// The missing and damaged parts.
    public private(set) var problems: [CacheProblem]
    private let parts: CacheParts
    /// The addresses of the images, ascending.
    private let addresses: [UInt64]

    /// - Parameters:
    ///   - main: The bytes of the main file.
    ///   - name: The file name of the main file.
    /// - Throws: ``SharedCacheError`` if the file is not the main file of a cache, or is damaged.
    public init(
        _ main: FileBytes, name: String, readingPartsWith readPart: PartReader
    ) throws(SharedCacheError) {
        do throws(SharedCacheError.Reason) {
            parts = try CacheParts(main: main, name: name, readPart)
            let tables = try ImageTables(parts.main)
            problems = parts.problems + tables.problems
            addresses = tables.entries.map(\.address).sorted()
            for entry in tables.entries { images.append(image(entry)) }
            guard !isOrphan else { throw .partOfCache }
        } catch { throw SharedCacheError(error, name: name) }
    }

    /// The name of the main file.
    public var name: String { parts.main.name }

    /// The names of the files read, the main file first.
    public var fileNames: [String] { parts.names }

    /// The version of the system that the cache belongs to, such as `26.1`, or `nil` before iOS 15.
    public var systemVersion: String? {
        let version = parts.main.header.systemVersion
        guard version != 0 else { return nil }
        let (major, minor, patch) = (version >> 16, version >> 8 & 0xff, version & 0xff)
        return patch == 0 ? "\(major).\(minor)" : "\(major).\(minor).\(patch)"
    }

    /// The platform of the system, or `nil` if the header has none.
    public var platform: MachOPlatform? { MachOPlatform(rawValue: parts.main.header.platform) }

    /// Returns the architecture of an image, or `nil` if it is unreadable. A cache may have images of
    /// two subtypes, such as x86_64 and x86_64h.
    public func architecture(of image: CachedImage) -> Architecture? {
        try? machO(of: image).header.architecture
    }

    /// The architecture of the first readable image. Each image has its own.
    public var architecture: Architecture? {
        images.lazy.compactMap { architecture(of: $0) }.first
    }

    /// The name of the platform in lower case, as in debug files.
    public var platformName: String? { platform?.name }

    var platformNumber: UInt32 { parts.main.header.platform }

    /// Whether the cache belongs to a simulator.
    public var isSimulator: Bool { parts.main.header.isSimulator }

    /// Whether local symbols were moved out of the images.
    public var movesLocalSymbols: Bool {
        let header = parts.main.header
        return header.symbolsFileUUID != nil || header.localSymbols.offset != 0
    }

    /// Whether all local symbols are available: none were moved out of the images, or the moved
    /// ones were found.
    public var hasLocalSymbols: Bool { !movesLocalSymbols || parts.movedSymbols != nil }

    /// The number of available symbols that were moved out of the images.
    public var movedSymbolCount: UInt64 { parts.movedSymbols?.count ?? 0 }

    /// The images in the order of their local symbols, so that reading all of them is sequential.
    public var imagesInReadingOrder: [CachedImage] {
        guard let movedSymbols = parts.movedSymbols else { return images }
        let positions = images.map { image in
            movedSymbols.position(of: symbolKey(of: image, in: movedSymbols) ?? 0)
        }
        return zip(positions, images).sorted { ($0.0, $0.1.address) < ($1.0, $1.1.address) }
            .map(\.1)
    }

    /// Releases the mapped pages when they are unlikely to be read again.
    public func releasePages() {
        for file in parts.files { file.release(0..<file.count) }
    }

    /// Reads the header and load commands of an image.
    public func machO(of image: CachedImage) throws(SharedCacheError) -> MachOImage {
        guard let header = header(at: image.address.rawValue) else {
            throw SharedCacheError(.unmappedImage, name: image.path)
        }
        return try machO(header, of: image.path)
    }

    /// Returns the bytes from an image's header on, or `nil` if no file maps it.
    private func header(at address: UInt64) -> FileBytes? {
        let next = addresses.partitioningIndex { $0 > address }
        return parts.memory.header(
            at: address, before: next < addresses.count ? addresses[next] : .max)
    }

    /// Whether the available files map an image's header and link-edit data. Both may be damaged.
    ///
    /// If no file is missing, returns `true` for every image without reading it.
    public func maps(_ image: CachedImage) -> Bool {
        if parts.hasAllSubcaches { return true }
        guard parts.memory.maps(image.address.rawValue) else { return false }
        // A damaged image is reported as such when its symbols are read.
        guard let machO = try? machO(of: image),
            let linkEdit = machO.segments.first(where: { $0.name == "__LINKEDIT" })
        else { return true }
        return parts.memory.maps(linkEdit.address.rawValue)
    }

    /// The number of images whose symbol tables can be read. Counting reads the header of every
    /// image.
    public var readableImageCount: Int {
        images.count { image in (try? machO(of: image).symbols()) != nil }
    }

    private func machO(_ header: FileBytes, of path: String) throws(SharedCacheError) -> MachOImage
    {
        let memory = parts.memory
        do throws(ReadingError) {
            return try MachOImage(cached: header) { address, count, subject throws(ReadingError) in
                try memory.bytes(at: address.rawValue, count: count, subject: subject)
            }
        } catch { throw SharedCacheError(.reading(error), name: path) }
    }

    /// Returns the local symbols that were moved out of an image, or `nil` if there are none.
    func movedSymbols(
        of image: CachedImage, _ header: MachOHeader
    ) throws(ReadingError) -> MachOSymbols? {
        guard let movedSymbols = parts.movedSymbols,
            let key = symbolKey(of: image, in: movedSymbols)
        else { return nil }
        return try movedSymbols.symbols(of: key, header)
    }

    private func symbolKey(of image: CachedImage, in symbols: MovedSymbols) -> UInt64? {
        let address = image.address.rawValue
        guard symbols.isKeyedByAddress else { return parts.memory.mainFileOffset(of: address) }
        guard let base = parts.main.mappings.first?.address, address >= base else { return nil }
        return address - base
    }

    /// Returns the image of an entry, completed from the image's own header.
    private func image(_ entry: ImageTables.Entry) -> CachedImage {
        var id = ImageID(bytes: entry.uuid)
        var size = entry.textSize
        if id == nil || size == 0, let header = header(at: entry.address),
            let machO = try? machO(header, of: entry.path)
        {
            id = id ?? machO.id
            size = size == 0 ? machO.extent : size
        }
        return CachedImage(
            id: id, address: LinkAddress(entry.address), textSize: size, path: entry.path)
    }

    /// Whether the file is a subcache or a `.symbols` file: its name looks like one, its header has
    /// no subcaches, and it does not contain the images in its tables.
    private var isOrphan: Bool {
        let header = parts.main.header
        guard header.mayHaveParts, header.subcaches.count == 0, header.symbolsFileUUID == nil,
            CacheFileName(name).looksLikePart
        else { return false }
        return images.isEmpty || !images.allSatisfy { parts.memory.maps($0.address.rawValue) }
    }
}
