import ByteReading

/// The properties of an abbreviation that a walk needs for most entries. It has eight bytes,
/// because every entry requires a lookup.
struct EntryShape {
    /// The size of all values in bytes. It is negative if the size varies between entries, or if
    /// the table has no such abbreviation.
    let fixedSize: Int32
    let kind: CodeEntry.Kind?
    let hasChildren: Bool
    /// Whether entries only need to be skipped, by their size.
    let isPlain: Bool

    init(_ program: AbbreviationProgram) {
        fixedSize = program.fixedSize
        kind = program.kind
        hasChildren = program.hasChildren
        isPlain = fixedSize >= 0 && kind == nil && !hasChildren
    }
}

/// An abbreviation as two programs: one skips an entry, the other reads the requested attributes of
/// a function or call.
struct AbbreviationProgram {
    /// The `DW_TAG_` number, or 0 for a code that the table does not define.
    var tag: UInt16 = 0
    /// The kind of code that the entry describes, or `nil` if it cannot describe code.
    var kind: CodeEntry.Kind?
    var hasChildren = false
    /// Whether an attribute contains the location of code.
    var mayHaveCode = false
    /// The size of all values in bytes, or −1 if it varies between entries.
    var fixedSize: Int32 = -1
    var firstStep: UInt32 = 0
    var endOfSteps: UInt32 = 0
    var firstRead: UInt32 = 0
    var endOfReads: UInt32 = 0

    /// Whether the table defines the abbreviation.
    var isDefined: Bool { tag != 0 }

    /// The program that skips the values, as a range of ``AbbreviationPrograms/steps``.
    var steps: Range<Int> {
        unsafe Range(uncheckedBounds: (Int(firstStep), Int(endOfSteps)))
    }
    /// The program that reads, as a range of ``AbbreviationPrograms/reads``.
    var reads: Range<Int> {
        unsafe Range(uncheckedBounds: (Int(firstRead), Int(endOfReads)))
    }
}

/// A step of a program that reads.
struct ReadStep {
    /// The slot for the value, or `nil` to skip values.
    let slot: EntryValues.Slot?
    /// The `DW_FORM_` number.
    let form: UInt16
    let shape: FormShape
    /// The bits of the value of `DW_FORM_implicit_const`.
    let constantBits: UInt64
}

/// The programs of one table of `.debug_abbrev`, for units of one format.
@safe
final class AbbreviationPrograms {
    /// The dense abbreviations by code, followed by those of ``sparse``. Undefined codes and code
    /// 0, which ends lists of entries, have empty programs.
    let all: UnsafePointer<AbbreviationProgram>
    /// The shapes of ``all``.
    let shapes: UnsafePointer<EntryShape>
    private let denseCount: UInt64
    /// The positions in ``all`` of codes above ``denseLimit``.
    private let sparse: [UInt64: Int]
    let steps: UnsafePointer<FormShape>
    let reads: UnsafePointer<ReadStep>
    /// The size of the table in bytes.
    let size: UInt64
    /// Whether functions or inlined calls of the table may have code.
    let mayHaveCode: Bool

    /// The maximum code that is looked up by index. Compilers number abbreviations from 1.
    static let denseLimit: UInt64 = 4096
    /// The maximum number of abbreviations and attributes in one table, more than link-time
    /// optimisation creates.
    static let stepsLimit = 1 << 20
    /// The maximum number of values read from one entry: a few times the number of requested
    /// attributes. Without the limit, forms without bytes would make an entry of one byte
    /// expensive.
    static let readsLimit = 64

    /// - Parameters:
    ///   - wanted: The code of the only abbreviation to compile, or `nil` for all of them.
    ///   - compiler: A compiler, which is reused so that its memory is not allocated for each
    ///     table.
    init(
        _ section: FileBytes, at start: UInt64, only wanted: UInt64? = nil,
        format: FormShape.Format, compiledBy compiler: inout AbbreviationCompiler,
        stepsLimit: Int = AbbreviationPrograms.stepsLimit
    ) throws(ReadingError) {
        var table = try AbbreviationCursor(section, at: start)
        compiler.start(format, stepsLimit: stepsLimit)
        while let entry = try table.nextEntry() {
            if let wanted, entry.code != wanted {
                while try table.nextAttribute() != nil {}
                continue
            }
            do throws(AbbreviationCompiler.Fault) {
                try compiler.begin(entry)
            } catch { throw error.reading(in: section, at: table.offset) }
            while let attribute = try table.nextAttribute() {
                do throws(AbbreviationCompiler.Fault) {
                    try compiler.add(attribute)
                } catch { throw error.reading(in: section, at: attribute.offset) }
            }
            compiler.end()
            if wanted != nil { break }
        }
        size = table.offset - start
        denseCount = UInt64(compiler.dense.count)
        let firstSparse = compiler.dense.count
        sparse = compiler.sparse.mapValues { firstSparse + $0 }
        let programs =
            compiler.sparse.isEmpty ? compiler.dense : compiler.dense + compiler.sparsePrograms
        mayHaveCode = programs.contains { $0.kind != nil && $0.mayHaveCode }
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

    /// Returns the position of a code in ``all``.
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
