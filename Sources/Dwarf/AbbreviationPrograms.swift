import ByteReading
import CLibDwarf

/// One abbreviation as two programs: one that steps over an entry, and one that reads what a
/// function or call is asked for. Small, because every entry of a file looks one up.
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
    fileprivate var firstStep: UInt32 = 0
    fileprivate var endOfSteps: UInt32 = 0
    fileprivate var firstRead: UInt32 = 0
    fileprivate var endOfReads: UInt32 = 0

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

    init(
        _ section: FileBytes, at start: UInt64, format: FormShape.Format,
        stepsLimit: Int = AbbreviationPrograms.stepsLimit
    ) throws(ReadingError) {
        var table = try AbbreviationCursor(section, at: start)
        var compiler = AbbreviationCompiler(format: format, stepsLimit: stepsLimit)
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
        sparse = compiler.sparse.mapValues { compiler.dense.count + $0 }
        unsafe all = Self.copy(compiler.dense + compiler.sparsePrograms)
        unsafe steps = Self.copy(compiler.steps)
        unsafe reads = Self.copy(compiler.reads)
    }

    deinit {
        unsafe all.deallocate()
        unsafe steps.deallocate()
        unsafe reads.deallocate()
    }

    /// Where the programs of `code` are in ``all``.
    @inline(__always)
    func number(of code: UInt64) -> Int {
        code < denseCount ? Int(truncatingIfNeeded: code) : sparse[code] ?? 0
    }

    /// The programs of `code`; empty where the table has none.
    func program(of code: UInt64) -> AbbreviationProgram { unsafe all[number(of: code)] }

    @unsafe
    private static func copy<Element>(_ array: [Element]) -> UnsafePointer<Element> {
        let buffer = UnsafeMutableBufferPointer<Element>.allocate(capacity: max(array.count, 1))
        _ = unsafe buffer.initialize(from: array)
        return unsafe UnsafePointer(buffer.baseAddress!)
    }
}

/// Makes programs of abbreviations, one after another.
private struct AbbreviationCompiler {
    /// Code 0 ends lists of entries, and has an empty program.
    private(set) var dense: [AbbreviationProgram] = [AbbreviationProgram()]
    /// Places in ``sparsePrograms``.
    private(set) var sparse: [UInt64: Int] = [:]
    private(set) var sparsePrograms: [AbbreviationProgram] = []
    private(set) var steps: [FormShape] = []
    private(set) var reads: [ReadStep] = []

    private let shapes: FormShape.Table
    private var stepsLeft: Int
    private var code: UInt64 = 0
    private var program = AbbreviationProgram()
    private var subject: EntrySubject?
    private var firstStep = 0
    private var firstRead = 0
    /// How many of ``reads`` are needed: steps behind the last value asked for are not.
    private var readsNeeded = 0
    /// How many values the abbreviation reads.
    private var readsCount = 0

    enum Fault: Error {
        case tooLarge
        case tooManyReads
        case form(UInt64)

        func reading(in section: FileBytes, at place: UInt64) -> ReadingError {
            let what =
                switch self {
                case .tooLarge: "table has too many abbreviations"
                case .tooManyReads:
                    "abbreviation has more than \(AbbreviationPrograms.readsLimit) attributes to read"
                case .form(let form): "form 0x\(String(form, radix: 16)) is not readable"
                }
            return ReadingError(.malformed(what), in: section.subject, at: place)
        }
    }

    init(format: FormShape.Format, stepsLimit: Int) {
        shapes = FormShape.Table(for: format)
        stepsLeft = stepsLimit
    }

    mutating func begin(_ entry: AbbreviationCursor.Entry) throws(Fault) {
        try takeStep()
        code = entry.code
        program = AbbreviationProgram()
        program.tag = UInt16(exactly: entry.tag) ?? .max
        program.hasChildren = entry.hasChildren
        subject = EntrySubject(tag: program.tag)
        firstStep = steps.count
        firstRead = reads.count
        readsNeeded = reads.count
        readsCount = 0
    }

    mutating func add(_ attribute: AbbreviationCursor.Attribute) throws(Fault) {
        try takeStep()
        guard let shape = shapes[attribute.form] else { throw .form(attribute.form) }
        if shape.extent == .fixed, steps.count > firstStep, let last = steps.last,
            last.extent == .fixed
        {
            steps[steps.count - 1] = FormShape(size: last.size + shape.size)
        } else {
            steps.append(shape)
        }
        if attribute.name == UInt64(DW_AT_low_pc) || attribute.name == UInt64(DW_AT_ranges) {
            program.mayHaveCode = true
        }
        guard let subject else { return }
        if let slot = EntryValues.Slot(attribute.name, of: subject) {
            guard readsCount < AbbreviationPrograms.readsLimit else { throw .tooManyReads }
            readsCount += 1
            reads.append(
                ReadStep(
                    slot: slot, form: UInt16(attribute.form), shape: shape,
                    constantBits: UInt64(bitPattern: attribute.constant)))
            readsNeeded = reads.count
        } else {
            stepOver(shape)
        }
    }

    mutating func end() {
        reads.removeLast(reads.count - readsNeeded)
        program.firstStep = UInt32(firstStep)
        program.endOfSteps = UInt32(steps.count)
        program.firstRead = UInt32(firstRead)
        program.endOfReads = UInt32(reads.count)
        program.kind = kind
        if steps.count == firstStep {
            program.fixedSize = 0
        } else if steps.count == firstStep + 1, steps[firstStep].extent == .fixed {
            program.fixedSize = Int32(steps[firstStep].size)
        }
        define()
    }

    /// A function without code still keeps calls below it from the function around it; one without
    /// children as well says nothing. A call without code leaves its children to its parent.
    private var kind: CodeEntry.Kind? {
        switch Int32(program.tag) {
        case DW_TAG_subprogram: program.mayHaveCode || program.hasChildren ? .function : nil
        case DW_TAG_inlined_subroutine: program.mayHaveCode ? .inlinedCall : nil
        default: nil
        }
    }

    /// Of several abbreviations with one code the first counts.
    private mutating func define() {
        guard code < AbbreviationPrograms.denseLimit else {
            guard sparse[code] == nil else { return }
            sparse[code] = sparsePrograms.count
            sparsePrograms.append(program)
            return
        }
        while dense.count <= Int(code) { dense.append(AbbreviationProgram()) }
        if !dense[Int(code)].isDefined { dense[Int(code)] = program }
    }

    private mutating func stepOver(_ shape: FormShape) {
        var shape = shape
        if shape.extent == .fixed, reads.count > firstRead, let last = reads.last, last.slot == nil,
            last.shape.extent == .fixed
        {
            shape = FormShape(size: last.shape.size + shape.size)
            reads.removeLast()
        }
        reads.append(ReadStep(slot: nil, form: 0, shape: shape, constantBits: 0))
    }

    private mutating func takeStep() throws(Fault) {
        guard stepsLeft > 0 else { throw .tooLarge }
        stepsLeft -= 1
    }
}
