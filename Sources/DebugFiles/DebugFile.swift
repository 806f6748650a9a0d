public import ByteReading
public import CallStacks
import Dwarf
import ELF
import MachO

/// A file that describes one image: a slice of a Mach-O file, or an ELF file, of any kind.
///
/// Initialization reads headers, load commands and notes. Contents are read, and compressed
/// sections inflated, by ``summary()`` and ``read(into:)``.
public struct DebugFile: Sendable {
    /// The identity, or `nil` with the warning `no-identity`: no diagnostic can then refer to it.
    public let id: ImageID?
    public let architecture: Architecture
    public let kind: DebugFileKind
    /// The target system in lower case (`ios`, `iossimulator`), or `nil` for ELF.
    public let platform: String?
    /// The number of the system in `LC_BUILD_VERSION`, or 0 if it is unknown.
    public let platformNumber: UInt32
    /// The base of offsets, and the ranges of code.
    public let layout: ImageLayout
    /// The bytes of the slice; for a plain Mach-O or ELF file, of the whole file.
    public let bytes: FileBytes
    /// Whether this file has debug information itself.
    public let hasDebugInformation: Bool
    /// The install path of a library, or `nil` if the file has none.
    public let installName: String?
    /// Whether the file is marked as having all symbols of the original image, although it has no
    /// debug information.
    public let hasCompleteSymbols: Bool
    /// The kind of split units in the file, or `nil` if it has none.
    public let splitUnits: SplitUnitsKind?
    /// The debug file of a stripped ELF file, by its name and the CRC-32 of its bytes
    /// (`.gnu_debuglink`). It confirms a match by identity and never replaces one.
    public let debugFileLink: (fileName: String, checksum: UInt32)?
    /// The file that `dwz` moved shared debug information to, by its path and its build ID
    /// (`.gnu_debugaltlink`), or `nil` if the debug information is complete.
    public let supplementLink: (fileName: String, id: ImageID?)?
    /// The warnings from the headers; ``summary()`` has more.
    public internal(set) var warnings: [DebugFileWarning]

    let container: any ImageContainer
    /// The files with the split units of this one.
    var splitFiles: [SplitDebugFile] = []
    /// The file of ``supplementLink``, if it was joined.
    var supplement: SupplementaryFile?

    init(_ container: some ImageContainer, bytes: FileBytes, name: String) throws(DebugFileError) {
        guard let layout = container.imageLayout
        else { throw DebugFileError(.missingText, name: name) }
        id = try? container.identity.get()
        architecture = container.architecture
        kind = container.kind
        platform = container.platformName
        platformNumber = container.platformNumber
        self.layout = layout
        self.bytes = bytes
        hasDebugInformation = container.hasDwarf
        installName = container.installName
        hasCompleteSymbols = container.hasCompleteSymbols
        splitUnits = container.splitUnits
        debugFileLink = container.debugFileLink
        supplementLink = container.supplementLink
        warnings = Self.warnings(of: container)
        self.container = container
    }

    /// Whether the image is an Apple system image, for which there are no debug files.
    public var isSystemImage: Bool { Self.isSystemPath(installName) }

    /// The last component of a system image's install path, or `nil` for other images.
    public var systemImageName: String? {
        isSystemImage ? installName?.split(separator: "/").last.map(String.init) : nil
    }

    private static func isSystemPath(_ path: String?) -> Bool {
        ["/System/", "/usr/lib/", "/Library/Apple/"].contains { path?.hasPrefix($0) == true }
    }

    /// The size of the loaded image from its base, in bytes, or 0 if the file does not contain it.
    public var extent: UInt64 { container.extent }

    /// The distance from the base to the end of `__TEXT`, or of a later segment with code, in bytes.
    public var textSize: UInt64 {
        // Segments without a size, as in files of some old tools, may have code.
        max(container.textSize, layout.code.last?.upperBound.rawValue ?? 0)
    }

    /// The positions of code in the file and in the linker's address space.
    public var placement: ImagePlacement {
        ImagePlacement(base: layout.base, segments: container.segments)
    }

    /// Returns the last known function start at or before `offset`, named or not, or `nil` if the
    /// offset is outside code or the file has no list of function starts.
    ///
    /// - Complexity: O(*n*) in the length of the list.
    public func functionStart(before offset: ImageOffset) -> ImageOffset? {
        guard let section = layout.section(containing: offset) else { return nil }
        var last: ImageOffset?
        // If the end of the list is damaged, the starts before it are still valid.
        try? container.forEachFunctionStart { address in
            guard let start = layout.offset(of: address), start <= offset,
                section.contains(start)
            else { return }
            last = max(start, last ?? start)
        }
        return last
    }

    /// Returns the imported function that the stub at `offset` jumps to, and the stub's start, or
    /// `nil` if there is no stub or the file's tables are damaged.
    public func stub(at offset: ImageOffset) -> (name: String, start: ImageOffset)? {
        let (address, overflows) = layout.base.rawValue.addingReportingOverflow(offset.rawValue)
        guard !overflows, let stub = try? container.importedFunction(at: LinkAddress(address)),
            let start = layout.offset(of: stub.start)
        else { return nil }
        return (stub.name, start)
    }

    /// The range of serialised Swift modules in ``bytes``, or `nil` if there are none. They are
    /// often a third of a file, and only debuggers read them.
    public var swiftModules: Range<Int>? { container.swiftModules }

    public var byteCount: Int { bytes.count }

    private static func warnings(of container: some ImageContainer) -> [DebugFileWarning] {
        var warnings: [DebugFileWarning] = []
        if container.splitUnits != nil, !container.hasDwarf {
            return [
                DebugFileWarning(
                    .noIdentity, "has only split units: use it with the file that refers to them")
            ]
        }
        if case .failure(let missing) = container.identity {
            warnings.append(DebugFileWarning(.noIdentity, missing.text))
        }
        if !container.hasDwarf, !isSystemPath(container.installName) {
            let next =
                container.kind == .dSYM
                ? "build with -g and DEBUG_INFORMATION_FORMAT dwarf-with-dsym, or download it again"
                : "add the dSYM or debug file of the same build"
            warnings.append(
                DebugFileWarning(.noDebugInfo, "has no debug information: \(next)"))
        }
        return warnings + container.warnings
    }
}
