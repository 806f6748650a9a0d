public import ByteReading
public import CallStacks
import Dwarf
import ELF
import MachO

/// What describes one image: a slice of a Mach-O file, or an ELF file, of whatever kind.
///
/// Making one reads headers, load commands and notes. Contents are read, and compressed sections
/// inflated, by ``summary()`` and ``read(into:)``.
public struct DebugFile: Sendable {
    /// The identity; `nil` with the warning `no-identity`, and then diagnostics cannot name it.
    public let id: ImageID?
    public let architecture: Architecture
    public let kind: DebugFileKind
    /// The system it was built for, in lower case (`ios`, `iossimulator`); ELF does not say.
    public let platform: String?
    /// The number that `LC_BUILD_VERSION` gives the system; 0 where it is not known.
    public let platformNumber: UInt32
    /// The base from which offsets count, and where code lies.
    public let layout: ImageLayout
    /// The slice as it is in the file; a Mach-O or ELF file by itself.
    public let bytes: FileBytes
    /// Whether the file itself holds debug information.
    public let hasDebugInformation: Bool
    /// Which files hold units that were split off from those of an image.
    public let splitUnits: SplitUnitsKind?
    /// The debug file made beside a stripped ELF file, by its name and the CRC-32 of its bytes
    /// (`.gnu_debuglink`). It confirms a pair that has one identity, and no other.
    public let debugFileLink: (fileName: String, checksum: UInt32)?
    /// What the headers give reason to say; ``summary()`` knows more.
    public internal(set) var warnings: [DebugFileWarning]

    let container: any ImageContainer
    /// Where the units are that were split off from those of this file.
    var splitFiles: [SplitDebugFile] = []

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
        splitUnits = container.splitUnits
        debugFileLink = container.debugFileLink
        warnings = Self.warnings(of: container)
        self.container = container
    }

    /// How far the image reaches from its base when it is loaded, in bytes; 0 where the file does not
    /// say.
    public var extent: UInt64 { container.extent }

    /// The last place at or before `offset` that is known to be the start of a function, named or
    /// not; `nil` outside code, and where the file has no list of them.
    ///
    /// - Complexity: The length of the list.
    public func functionStart(before offset: ImageOffset) -> ImageOffset? {
        guard let section = layout.section(containing: offset) else { return nil }
        var last: ImageOffset?
        // A list that is damaged at its end was right before.
        try? container.forEachFunctionStart { address in
            guard let start = layout.offset(of: address), start <= offset,
                section.contains(start)
            else { return }
            last = max(start, last ?? start)
        }
        return last
    }

    /// The function of another image that the code at `offset` only jumps to, and where the jump
    /// starts; `nil` elsewhere, and where the tables of the file are damaged.
    public func stub(at offset: ImageOffset) -> (name: String, start: ImageOffset)? {
        let (address, overflows) = layout.base.rawValue.addingReportingOverflow(offset.rawValue)
        guard !overflows, let stub = try? container.importedFunction(at: LinkAddress(address)),
            let start = layout.offset(of: stub.start)
        else { return nil }
        return (stub.name, start)
    }

    /// Where among ``bytes`` serialised Swift modules are, often a third of a file, which debuggers
    /// alone read; `nil` without them.
    public var swiftModules: Range<Int>? { container.swiftModules }

    /// The size of the slice in bytes.
    public var byteCount: Int { bytes.count }

    private static func warnings(of container: some ImageContainer) -> [DebugFileWarning] {
        var warnings: [DebugFileWarning] = []
        if container.splitUnits != nil, !container.hasDwarf {
            return [
                DebugFileWarning(
                    .noIdentity, "holds split-off units: give it with the file that refers to them")
            ]
        }
        if case .failure(let missing) = container.identity {
            warnings.append(DebugFileWarning(.noIdentity, missing.text))
        }
        if !container.hasDwarf {
            let next =
                container.kind == .dSYM
                ? "build with -g and DEBUG_INFORMATION_FORMAT dwarf-with-dsym, or download it again"
                : "give the dSYM or debug file made beside it"
            warnings.append(
                DebugFileWarning(.noDebugInfo, "has no debug information: \(next)"))
        }
        return warnings + container.warnings
    }
}
