public import ByteReading
import CallStacks
import MachO

/// The symbols of one image of a shared cache, as a small Mach-O file.
///
/// It contains the identity, the path, the code sections' addresses, function starts and symbols of
/// code. It has no code, so it is a stub (`MH_DYLIB_STUB`), whose sections need no contents. Debug
/// tools read it like any other file, and the same cache always yields the same bytes.
public struct CutFile: Sendable {
    public let bytes: [UInt8]
    public let functionCount: Int
    public let symbolCount: Int
    /// The parts of the image that could not be read.
    public let problems: [CacheProblem]

    /// Whether the file has all symbols of the original image.
    public let isComplete: Bool

    /// Extracts an image from a cache.
    ///
    /// - Throws: ``SharedCacheError`` if the image is damaged, or none of the files contains its
    ///   data.
    public init(_ image: CachedImage, of cache: SharedCache) throws(SharedCacheError) {
        let machO = try cache.machO(of: image)
        do throws(SharedCacheError.Reason) {
            try self.init(
                image, machO, platform: cache.platformNumber, isWhole: cache.hasLocalSymbols
            ) { header throws(ReadingError) in try cache.movedSymbols(of: image, header) }
        } catch { throw SharedCacheError(error, name: image.path) }
    }

    /// Extracts the remaining symbols of a file that was itself extracted from a cache.
    ///
    /// - Throws: ``SharedCacheError`` if the file is damaged, or not a system image.
    public init(ofExtracted file: FileBytes, name: String) throws(SharedCacheError) {
        do throws(SharedCacheError.Reason) {
            let machO: MachOImage
            do throws(ReadingError) { machO = try MachOImage(file) } catch { throw .reading(error) }
            guard let path = machO.installName, let base = machO.layout?.base else {
                throw .damagedImage("it has no path or no __TEXT")
            }
            let size = machO.segments.first { $0.name == "__TEXT" }?.size ?? 0
            let image = CachedImage(id: machO.id, address: base, textSize: size, path: path)
            try self.init(image, machO, platform: 0, isWhole: false) { _ in nil }
        } catch { throw SharedCacheError(error, name: name) }
    }

    private init(
        _ image: CachedImage, _ machO: MachOImage, platform: UInt32, isWhole: Bool,
        moved: (MachOHeader) throws(ReadingError) -> MachOSymbols?
    ) throws(SharedCacheError.Reason) {
        guard let text = machO.segments.first(where: { $0.name == "__TEXT" }),
            text.address == image.address
        else { throw .damagedImage("its __TEXT is not at its address") }
        guard let id = image.id else { throw .damagedImage("it has no UUID") }
        let sections = Array(
            text.sections.filter(\.containsCode).prefix(CutFileWriter.sectionLimit))
        guard sections.allSatisfy({ image.textContains($0) }) else {
            throw .damagedImage("its code is outside __TEXT")
        }
        do throws(ReadingError) {
            let symbols = try ImageSymbols(machO, code: CodeRanges(sections), moved: moved)
            let starts = try CutFunctionStarts(of: machO)
            isComplete = isWhole && symbols.isComplete
            let writer = CutFileWriter(
                image: image, id: id, header: machO.header,
                platform: machO.platform?.rawValue ?? platform, sections: sections,
                isComplete: isComplete)
            bytes = writer.bytes(symbols: symbols, functionStarts: starts.payload)
            functionCount = starts.count
            symbolCount = symbols.symbols.count
            problems = symbols.problems
        } catch { throw .reading(error) }
    }
}

extension CachedImage {
    /// Whether a section is within `__TEXT`, as readers of Mach-O files require.
    fileprivate func textContains(_ section: MachOSection) -> Bool {
        guard section.address >= address else { return false }
        let offset = section.address.rawValue - address.rawValue
        return offset <= textSize && section.size <= textSize - offset
    }
}

/// Re-encoded function starts, so that no other data is copied.
private struct CutFunctionStarts {
    private(set) var payload: [UInt8] = []
    private(set) var count = 0

    init(of machO: MachOImage) throws(ReadingError) {
        guard let base = machO.layout?.base.rawValue else { return }
        var last = base
        try machO.forEachFunctionStart { address in
            guard address.rawValue > last || (count == 0 && address.rawValue == base) else {
                return
            }
            count += 1
            payload.append(uleb128: address.rawValue - last)
            last = address.rawValue
        }
        // The list ends with a zero, and the table after it is aligned.
        repeat { payload.append(0) } while !payload.count.isMultiple(of: 8)
    }
}
