import ByteReading
import CallStacks
import Dwarf
import ELF

extension ELFImage: ImageContainer {
    var identity: Result<ImageID, MissingIdentity> {
        if kind == .elfObject { return .failure(.object) }
        switch buildID {
        case .present(let id): return .success(id)
        case .absent: return .failure(MissingIdentity("no build ID: link with -Wl,--build-id"))
        case .unusable(let count):
            let problem = "build ID of \(count) bytes is empty, zero or over \(ImageID.lengthLimit)"
            return .failure(MissingIdentity("\(problem): link with -Wl,--build-id=sha1"))
        }
    }

    var architecture: Architecture { header.architecture }
    var platformName: String? { nil }

    var platformNumber: UInt32 { 0 }
    var isBigEndian: Bool { header.isBigEndian }
    var addressSize: Int { header.addressSize }
    var imageLayout: ImageLayout? { layout }

    /// The segments, or none for a separate debug file, which has their headers but not their
    /// bytes.
    var segments: [ImagePlacement.Segment] {
        guard !lacksCodeBytes else { return [] }
        return loadedSegments.map {
            ImagePlacement.Segment(
                fileOffset: $0.offset, address: LinkAddress($0.address), size: $0.fileSize)
        }
    }

    var kind: DebugFileKind {
        switch header.type {
        case .relocatable: isSupplement ? .elfSupplement : .elfObject
        case .executable, .shared:
            if lacksCodeBytes {
                .elfDebug
            } else if header.type == .executable || namesInterpreter {
                .elfExecutable
            } else {
                .elfShared
            }
        default: .other
        }
    }

    /// Whether the file is of the form that `dwz` writes: like an object file, but with a build ID
    /// and without code. Kernel modules have a build ID too, and code.
    private var isSupplement: Bool {
        guard case .present = buildID else { return false }
        return hasDwarf && !sections.contains(where: \.containsCode)
    }

    var hasDwarf: Bool { section(DwarfSections.Name.info.rawValue) != nil }

    var splitUnits: SplitUnitsKind? {
        guard section(DwarfSections.Name.info.inFile(isSplit: true)) != nil else { return nil }
        return section(DwarfSections.Name.packageIndex.rawValue) == nil ? .object : .package
    }

    /// A damaged link is ignored, because a link only confirms the build ID.
    var debugFileLink: (fileName: String, checksum: UInt32)? {
        (try? debugLink()).map { ($0.fileName, $0.checksum) }
    }

    /// A damaged link is a warning.
    var supplementLink: (fileName: String, id: ImageID?)? {
        guard hasDwarf else { return nil }
        return (try? debugAlternateLink()).map { ($0.fileName, $0.id) }
    }

    var warnings: [DebugFileWarning] {
        guard hasDwarf else { return [] }
        do {
            guard let link = try debugAlternateLink() else { return [] }
            let id = link.id?.description ?? "without build ID"
            return [DebugFileWarning(.dwzAlternateMissing, "names are in '\(link.fileName)' \(id)")]
        } catch { return [DebugFileWarning(error)] }
    }

    var swiftModules: Range<Int>? {
        sections.first { $0.name == ".swift_ast" }.flatMap(range)
    }

    /// ELF files contain library names without paths.
    var installName: String? { nil }

    var hasCompleteSymbols: Bool { false }

    /// ELF has no debug map.
    func namesObjectFiles() throws(ReadingError) -> Bool { false }

    /// Stubs in the procedure linkage table are not read.
    func importedFunction(
        at address: LinkAddress
    ) throws(ReadingError) -> (name: String, start: LinkAddress)? { nil }

    /// ELF has no list of function starts.
    func forEachFunctionStart(_ body: (LinkAddress) -> Void) {}
}
