import ByteReading
import CallStacks
import Decompression
import Dwarf

/// What Mach-O and ELF answer alike.
protocol ImageContainer: Sendable {
    /// The identity, or why there is none.
    var identity: Result<ImageID, MissingIdentity> { get }
    var architecture: Architecture { get }
    var kind: DebugFileKind { get }
    var platformName: String? { get }
    var platformNumber: UInt32 { get }
    var isBigEndian: Bool { get }
    var addressSize: Int { get }
    /// `nil` where offsets have no origin.
    var imageLayout: ImageLayout? { get }
    /// How far what is loaded reaches from the base of the layout, in bytes.
    var extent: UInt64 { get }
    /// Whether there is a section of compile units with bytes.
    var hasDwarf: Bool { get }
    /// What of units that were split off from those of an image is in the file.
    var splitUnits: SplitUnitsKind? { get }
    /// The file that debug information was moved to, and its CRC-32.
    var debugFileLink: (fileName: String, checksum: UInt32)? { get }
    /// Where the file keeps serialised Swift modules, which debuggers alone read.
    var swiftModules: Range<Int>? { get }
    /// What the headers alone give reason to say.
    var warnings: [DebugFileWarning] { get }

    /// A section of debug information by its ELF name, `nil` if the file has none of that name.
    func debugSection(_ name: String) throws(ReadingError) -> DebugSection?

    /// The symbol table, `nil` without one.
    func codeSymbols() throws(ReadingError) -> CodeSymbols?

    /// Whether a debug map names the object files that hold the debug information.
    func namesObjectFiles() throws(ReadingError) -> Bool

    /// The function of another image that the code at an address jumps to, and where the jump starts.
    func importedFunction(at address: LinkAddress) throws(ReadingError) -> (
        name: String, start: LinkAddress
    )?

    /// Calls `body` with each place where a function starts, as far as the file says.
    func forEachFunctionStart(_ body: (LinkAddress) -> Void) throws(ReadingError)
}

/// Why a file has no identity, with what to do about it.
struct MissingIdentity: Error, Hashable {
    let text: String

    init(_ text: String) { self.text = text }

    static let object = Self("object files have no identity: give the linked image or its dSYM")
}

/// The bytes of a section of debug information.
enum DebugSection {
    case plain(FileBytes)
    case compressed(CompressedBytes)
}

/// A symbol table, of either format.
struct CodeSymbols {
    /// The string table that names lie in.
    let names: FileBytes
    /// Whether the table is known to hold more than exports.
    let isFull: Bool
    /// Calls its argument with each symbol; answers how many were damaged.
    let forEach: ((CodeSymbol) -> Void) throws(ReadingError) -> Int
}

/// A name that stands at an address.
struct CodeSymbol {
    /// Where it lies in ``CodeSymbols/names``.
    let name: Range<Int>
    let address: LinkAddress
    /// In bytes; 0 where the format does not say.
    let size: UInt64
    let rank: SymbolRecord.Rank
}
