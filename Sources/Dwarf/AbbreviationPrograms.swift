import ByteReading

/// What the walk over entries needs of most abbreviations: eight bytes, for it looks one up for every
/// entry of a file, and goes on only when it has.
struct EntryShape {
    /// The size of all values in bytes; negative where it differs from entry to entry, and where the
    /// table has no such abbreviation.
    let fixedSize: Int32
    let kind: CodeEntry.Kind?
    let hasChildren: Bool
    /// Whether the entry only has to be stepped over, by its size.
    let isPlain: Bool

    init(_ program: AbbreviationProgram) {
        fixedSize = program.fixedSize
        kind = program.kind
        hasChildren = program.hasChildren
        isPlain = fixedSize >= 0 && kind == nil && !hasChildren
    }
}

/// One abbreviation as two programs: one that steps over an entry, and one that reads what a
/// function or call is asked for.
struct AbbreviationProgram {
    /// `DW_TAG_` number; 0 for a code that the table does not define.
    var tag: UInt16 = 0
    /// What code may belong to it as, if anything can be said of it below.
    var kind: CodeEntry.Kind?
    var hasChildren = false
    /// Whether an attribute says that it has code.
    var mayHaveCode = false
    /// The size of all values in bytes, or −1 where it differs from entry to entry.
    var fixedSize: Int32 = -1
    var firstStep: UInt32 = 0
    var endOfSteps: UInt32 = 0
    var firstRead: UInt32 = 0
    var endOfReads: UInt32 = 0

    /// Whether the table has an abbreviation here.
    var isDefined: Bool { tag != 0 }

    /// The program that steps over the values, as a part of all ``AbbreviationPrograms/steps``.
    var steps: Range<Int> {
        unsafe Range(uncheckedBounds: (Int(firstStep), Int(endOfSteps)))
    }
    /// The program that reads, as a part of all ``AbbreviationPrograms/reads``.
    var reads: Range<Int> {
        unsafe Range(uncheckedBounds: (Int(firstRead), Int(endOfReads)))
    }
}

/// A step of the program that reads.
struct ReadStep {
    /// Where the value goes; `nil` to step over values.
    let slot: EntryValues.Slot?
    /// `DW_FORM_` number.
    let form: UInt16
    let shape: FormShape
    /// The bits of the value of `DW_FORM_implicit_const`.
    let constantBits: UInt64
}

/// The programs of one table of `.debug_abbrev`, for units of one format.
@safe
final class AbbreviationPrograms {
    /// Dense ones by code, and behind them those of ``sparse``. Codes without abbreviation have an
    /// empty one; so has code 0, which is no abbreviation's.
    let all: UnsafePointer<AbbreviationProgram>
    /// The shapes of ``all``.
    let shapes: UnsafePointer<EntryShape>
    private let denseCount: UInt64
    /// The places in ``all`` of those with codes beyond ``denseLimit``.
    private let sparse: [UInt64: Int]
    let steps: UnsafePointer<FormShape>
    let reads: UnsafePointer<ReadStep>
    /// The size of the table in bytes.
    let size: UInt64

    /// Compilers number abbreviations from 1; up to this code a table is looked up by index.
    static let denseLimit: UInt64 = 4096
    /// The most abbreviations and attributes of one table: more than link-time optimisation makes.
    static let stepsLimit = 1 << 20
    /// The most values that are read of one entry: each attribute asked for, a few times. Forms of
    /// no bytes would else make much work of an entry of one byte.
    static let readsLimit = 64

    convenience init(
        _ section: FileBytes, at start: UInt64, format: FormShape.Format,
        stepsLimit: Int = AbbreviationPrograms.stepsLimit
    ) throws(ReadingError) {
        var compiler = AbbreviationCompiler()
        try self.init(
            section, at: start, format: format, compiledBy: &compiler, stepsLimit: stepsLimit)
    }

    /// - Parameter compiler: Any, used again so that it need not ask for memory each time.
    init(
        _ section: FileBytes, at start: UInt64, format: FormShape.Format,
        compiledBy compiler: inout AbbreviationCompiler,
        stepsLimit: Int = AbbreviationPrograms.stepsLimit
    ) throws(ReadingError) {
        var table = try AbbreviationCursor(section, at: start)
        compiler.start(format, stepsLimit: stepsLimit)
        while let entry = try table.nextEntry() {
            do throws(AbbreviationCompiler.Fault) {
                try compiler.begin(entry)
            } catch { throw error.reading(in: section, at: table.offset) }
            while let attribute = try table.nextAttribute() {
                do throws(AbbreviationCompiler.Fault) {
                    try compiler.add(attribute)
                } catch { throw error.reading(in: section, at: attribute.place) }
            }
            compiler.end()
        }
        size = table.offset - start
        denseCount = UInt64(compiler.dense.count)
        let firstSparse = compiler.dense.count
        sparse = compiler.sparse.mapValues { firstSparse + $0 }
        let programs =
            compiler.sparse.isEmpty ? compiler.dense : compiler.dense + compiler.sparsePrograms
        unsafe all = Self.copy(programs)
        unsafe shapes = Self.copy(programs.map(EntryShape.init))
        unsafe steps = Self.copy(compiler.steps)
        unsafe reads = Self.copy(compiler.reads)
    }

    deinit {
        unsafe all.deallocate()
        unsafe shapes.deallocate()
        unsafe steps.deallocate()
        unsafe reads.deallocate()
    }

    /// Where the programs of `code` are in ``all``.
    @inline(__always)
    func number(of code: UInt64) -> Int {
        code < denseCount ? Int(truncatingIfNeeded: code) : sparse[code] ?? 0
    }

    @unsafe
    private static func copy<Element>(_ array: [Element]) -> UnsafePointer<Element> {
        let buffer = UnsafeMutableBufferPointer<Element>.allocate(capacity: max(array.count, 1))
        _ = unsafe buffer.initialize(from: array)
        return unsafe UnsafePointer(buffer.baseAddress!)
    }
}
