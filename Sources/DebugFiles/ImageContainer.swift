import ByteReading
import CallStacks
import Decompression
import Dwarf

/// The common interface of Mach-O and ELF images.
protocol ImageContainer: Sendable {
    /// The identity, or the reason why there is none.
    var identity: Result<ImageID, MissingIdentity> { get }
    var architecture: Architecture { get }
    var kind: DebugFileKind { get }
    var platformName: String? { get }
    var platformNumber: UInt32 { get }
    var isBigEndian: Bool { get }
    var addressSize: Int { get }
    /// The layout, or `nil` if offsets have no origin.
    var imageLayout: ImageLayout? { get }
    /// The distance from the base of the layout to the end of the last segment with code, in bytes.
    var textSize: UInt64 { get }
    /// The size of the loaded image from the base of the layout, in bytes.
    var extent: UInt64 { get }
    /// The mapped parts of the file, if they are known.
    var segments: [ImagePlacement.Segment] { get }
    /// Whether there is a non-empty section of compilation units.
    var hasDwarf: Bool { get }
    /// The kind of split units in the file, or `nil` if it has none.
    var splitUnits: SplitUnitsKind? { get }
    /// The file that debug information was moved to, and its CRC-32.
    var debugFileLink: (fileName: String, checksum: UInt32)? { get }
    /// The file that `dwz` moved shared debug information to, and its build ID.
    var supplementLink: (fileName: String, id: ImageID?)? { get }
    /// The install path of a library, or `nil` if the file has none.
    var installName: String? { get }
    /// Whether the file is marked as having all symbols of the original image.
    var hasCompleteSymbols: Bool { get }
    /// The range of serialised Swift modules, which only debuggers read.
    var swiftModules: Range<Int>? { get }
    var warnings: [DebugFileWarning] { get }

    /// Returns a section of debug information by its ELF name, or `nil` if there is none.
    func debugSection(_ name: String) throws(ReadingError) -> DebugSection?

    /// Returns the symbol tables, which have different symbols, and the errors of unreadable ones.
    func symbolTables() -> [Result<CodeSymbols, ReadingError>]

    /// Returns whether a debug map names the object files with the debug information.
    func namesObjectFiles() throws(ReadingError) -> Bool

    /// Returns the imported function that the stub at an address jumps to, and the stub's start.
    func importedFunction(at address: LinkAddress) throws(ReadingError) -> (
        name: String, start: LinkAddress
    )?

    /// Calls `body` with each function start in the file's list.
    func forEachFunctionStart(_ body: (LinkAddress) -> Void) throws(ReadingError)
}

/// The reason why a file has no identity, with a remedy.
struct MissingIdentity: Error, Hashable {
    let text: String

    init(_ text: String) { self.text = text }

    static let object = Self("object files have no identity: pass the linked image or its dSYM")
}

/// The bytes of a section of debug information.
enum DebugSection {
    case plain(FileBytes)
    case compressed(CompressedSectionBytes)
}

/// A symbol table, of either format.
struct CodeSymbols {
    let names: FileBytes
    /// Whether the table is known to have more than exports.
    let isFull: Bool
    /// Whether the table was compressed, as `.gnu_debugdata`.
    var isPacked = false
    /// Calls its argument with each symbol and returns the number of damaged ones.
    let forEach: ((CodeSymbol) -> Void) throws(ReadingError) -> Int
}

/// A symbol at an address.
struct CodeSymbol {
    /// The range of its name in ``CodeSymbols/names``.
    let name: Range<Int>
    let address: LinkAddress
    /// The size in bytes, or 0 if the format does not contain it.
    let size: UInt64
    let rank: SymbolRecord.Rank
}
