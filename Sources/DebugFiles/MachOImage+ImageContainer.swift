import ByteReading
import CallStacks
import Decompression
import Dwarf
import MachO

extension MachOImage: ImageContainer {
    var identity: Result<ImageID, MissingIdentity> {
        if header.fileType == .object { return .failure(.object) }
        guard let id else {
            return .failure(MissingIdentity("LC_UUID is missing or zero: link without -no_uuid"))
        }
        return .success(id)
    }

    var architecture: Architecture { header.architecture }
    var platformName: String? { platform?.name }

    var platformNumber: UInt32 { platform?.rawValue ?? 0 }
    var isBigEndian: Bool { header.isBigEndian }
    var addressSize: Int { header.addressSize }

    var kind: DebugFileKind {
        switch header.fileType {
        case .object: .object
        case .executable: .executable
        case .preload: .preload
        case .dylib, .dylibStub: .dylib
        case .dylinker: .dylinker
        case .bundle: .bundle
        case .dSYM: .dSYM
        case .kextBundle: .kext
        default: .other
        }
    }

    var segments: [ImagePlacement.Segment] { [] }
    /// Object files have one unnamed segment at 0, and no use for offsets.
    var imageLayout: ImageLayout? {
        header.fileType == .object ? ImageLayout(base: LinkAddress(0), code: []) : layout
    }

    var hasDwarf: Bool { section(DwarfSections.Name.info.rawValue) != nil }

    /// Apple's tools leave debug information in object files instead.
    var splitUnits: SplitUnitsKind? { nil }

    /// Mach-O files and their dSYMs are matched by identity alone.
    var debugFileLink: (fileName: String, checksum: UInt32)? { nil }
    var supplementLink: (fileName: String, id: ImageID?)? { nil }

    var warnings: [DebugFileWarning] {
        guard let section = truncatedSection else { return [] }
        let problem = "\(section.name) extends past the end of the file: download it again"
        return [DebugFileWarning(.truncated, problem)]
    }

    var swiftModules: Range<Int>? {
        sections.first { $0.name == "__swift_ast" }.flatMap(range)
    }

    func debugSection(_ name: String) throws(ReadingError) -> DebugSection? {
        guard let section = section(name), let bytes = try bytes(of: section)?.named(name)
        else { return nil }
        if section.name.hasPrefix("__z"),
            let compressed = try CompressedSectionBytes(zdebugSection: bytes)
        {
            return .compressed(compressed)
        }
        return .plain(bytes)
    }

    /// Returns the section with bytes, in any segment, as `__debug_…` or, compressed, `__zdebug_…`.
    private func section(_ name: String) -> MachOSection? {
        let plain = Self.sectionName("__" + name.dropFirst())
        let compressed = Self.sectionName("__z" + name.dropFirst())
        return sections.first { [plain, compressed].contains($0.name) && $0.hasBytes }
    }

    /// Section names are truncated to 16 bytes: `.debug_str_offsets` is `__debug_str_offs`.
    private static func sectionName(_ name: String) -> String { String(name.prefix(16)) }

    func symbolTables() -> [Result<CodeSymbols, ReadingError>] {
        do throws(ReadingError) {
            return try codeSymbols().map { [.success($0)] } ?? []
        } catch { return [.failure(error)] }
    }

    private func codeSymbols() throws(ReadingError) -> CodeSymbols? {
        guard let symbols = try symbols() else { return nil }
        return CodeSymbols(names: symbols.names, isFull: header.fileType == .dSYM) {
            body throws(ReadingError) in
            try symbols.forEach { symbol in
                body(
                    CodeSymbol(
                        name: symbol.name, address: symbol.address, size: 0, rank: symbol.rank))
            }
        }
    }

    func namesObjectFiles() throws(ReadingError) -> Bool {
        try symbols()?.namesObjectFiles() ?? false
    }

    func importedFunction(
        at address: LinkAddress
    ) throws(ReadingError) -> (name: String, start: LinkAddress)? {
        try stub(at: address).map { ($0.name, $0.address) }
    }
}
