/// A reader and everything that it can be asked, as one function of bytes.
///
/// The fuzzers of `Tests/Fuzz` look for bytes that break it, and `FuzzReplayTests` reads again what
/// they found, in every test run.
public enum FuzzTarget: String, CaseIterable, Sendable {
    /// A Mach-O file, thin or universal: header, load commands, symbols, function starts.
    case machO = "macho"
    /// An ELF file: header tables, notes, symbols, links, compressed sections.
    case elf
    /// A debug file of either kind, on the whole way to the answers of its index.
    case debugFile = "debug-file"
    /// The sections of debug information without a container: see ``PackedSections``.
    case dwarf
    /// The same sections, read from the mapped bytes and through libdwarf.
    case readers
    /// An index whose header fits, so that the damage is met by lookups.
    case index
    /// An upload with call-stack trees, on the whole way to the report.
    case tree
    /// A crash, hang or backtrace file or a log, on the whole way to itself with functions.
    case crashFile = "crash-file"
    /// A linkage name.
    case name
    /// A request of OTLP in JSON or protobuf, as each of the three signals.
    case request

    /// Reads `input` and asks for all that there is.
    ///
    /// - Throws: ``BrokenPromise`` where an answer is not what the reader promises of every input.
    ///   Errors of the readers themselves are answers.
    public func read(_ input: [UInt8]) throws {
        switch self {
        case .machO: readMachO(input)
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

/// What a reader promises of every input, and did not keep for one.
public struct BrokenPromise: Error, CustomStringConvertible {
    public let description: String

    init(_ description: String) { self.description = description }
}

/// Throws unless `isKept`.
func promise(_ description: String, _ isKept: Bool) throws(BrokenPromise) {
    if !isKept { throw BrokenPromise(description) }
}
