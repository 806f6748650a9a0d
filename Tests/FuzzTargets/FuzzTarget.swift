/// A reader and all of its lookups, as one function of bytes.
///
/// The fuzzers of `Tests/Fuzz` search for bytes that break it, and `FuzzReplayTests` reads their
/// findings again in every test run.
public enum FuzzTarget: String, CaseIterable, Sendable {
    /// A Mach-O file, thin or universal: header, load commands, symbols, function starts.
    case machO = "macho"
    /// The files of a dyld shared cache, packed into one: see ``FuzzTarget/readSharedCache(_:)``.
    case sharedCache = "shared-cache"
    /// An ELF file: header tables, notes, symbols, links, compressed sections.
    case elf
    /// A debug file of either kind, including its index and lookups in it.
    case debugFile = "debug-file"
    /// The sections of debug information without a container: see ``PackedSections``.
    case dwarf
    /// The same sections, read from the mapped bytes and through libdwarf.
    case readers
    /// An index with a correct header, so that lookups find the damage.
    case index
    /// An upload with call-stack trees, including the symbolicated report.
    case tree
    /// A crash, hang or backtrace file or a log, including the rewritten file.
    case crashFile = "crash-file"
    /// A linkage name.
    case name
    /// A request of OTLP in JSON or protobuf, as each of the three signals.
    case request

    /// Reads `input` and performs all lookups.
    ///
    /// - Throws: ``BrokenPromise`` if a result violates a guarantee that the reader gives for every
    ///   input. Errors of the readers themselves are valid results.
    public func read(_ input: [UInt8]) throws {
        switch self {
        case .machO: readMachO(input)
        case .sharedCache: readSharedCache(input)
        case .elf: readELF(input)
        case .debugFile: try readDebugFile(input)
        case .dwarf: try readDwarf(input)
        case .readers: try readBothWays(input)
        case .index: readIndex(input)
        case .tree: try readTree(input)
        case .crashFile: try readCrashFile(input)
        case .name: try readName(input)
        case .request: try readRequest(input)
        }
    }
}

/// A guarantee of a reader that an input violated.
public struct BrokenPromise: Error, CustomStringConvertible {
    public let description: String

    init(_ description: String) { self.description = description }
}

/// Throws unless `isKept`.
func promise(_ description: String, _ isKept: Bool) throws(BrokenPromise) {
    if !isKept { throw BrokenPromise(description) }
}
