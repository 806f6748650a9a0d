import ByteReading
import CLibDwarf

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
    var fixedSize = -1
    /// The program that steps over the values, as a part of all ``AbbreviationPrograms/steps``.
    var steps: Range<Int> = 0..<0
    /// The program that reads, as a part of all ``AbbreviationPrograms/reads``.
    var reads: Range<Int> = 0..<0
}

/// A step of the program that reads.
struct ReadStep {
    /// `DW_AT_` number; 0 to step over values.
    let name: UInt16
    /// `DW_FORM_` number.
    let form: UInt16
    let shape: FormShape
    /// The value of `DW_FORM_implicit_const`.
    let constant: Int64
}

/// The programs of one table of `.debug_abbrev`, for units of one format.
@safe
final class AbbreviationPrograms {
    /// By code; codes without abbreviation have an empty one.
    let dense: UnsafeBufferPointer<AbbreviationProgram>
    /// Those with codes beyond ``denseLimit``.
    let sparse: [UInt64: AbbreviationProgram]
    let steps: UnsafeBufferPointer<FormShape>
    let reads: UnsafeBufferPointer<ReadStep>
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
        var table = AbbreviationCursor(section, at: start)
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
        sparse = compiler.sparse
        unsafe dense = Self.copy(compiler.dense)
        unsafe steps = Self.copy(compiler.steps)
        unsafe reads = Self.copy(compiler.reads)
    }

    deinit {
        unsafe dense.deallocate()
        unsafe steps.deallocate()
        unsafe reads.deallocate()
    }

    /// The programs of `code`; one without tag where the table has none.
    @inline(__always)
    func program(of code: UInt64) -> AbbreviationProgram {
        if code < UInt64(unsafe dense.count) { return unsafe dense[Int(code)] }
        return sparse[code] ?? AbbreviationProgram()
    }

    @unsafe
    private static func copy<Element>(_ array: [Element]) -> UnsafeBufferPointer<Element> {
        let buffer = UnsafeMutableBufferPointer<Element>.allocate(capacity: array.count)
        _ = unsafe buffer.initialize(from: array)
        return UnsafeBufferPointer(buffer)
    }
}

/// Makes programs of abbreviations, one after another.
private struct AbbreviationCompiler {
    private(set) var dense: [AbbreviationProgram] = []
    private(set) var sparse: [UInt64: AbbreviationProgram] = [:]
    private(set) var steps: [FormShape] = []
    private(set) var reads: [ReadStep] = []

    private let format: FormShape.Format
    private var stepsLeft: Int
    private var code: UInt64 = 0
    private var program = AbbreviationProgram()
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
        self.format = format
        stepsLeft = stepsLimit
    }

    mutating func begin(_ entry: AbbreviationCursor.Entry) throws(Fault) {
        try takeStep()
        code = entry.code
        program = AbbreviationProgram()
        program.tag = UInt16(exactly: entry.tag) ?? .max
        program.hasChildren = entry.hasChildren
        firstStep = steps.count
        firstRead = reads.count
        readsNeeded = reads.count
        readsCount = 0
    }

    mutating func add(_ attribute: AbbreviationCursor.Attribute) throws(Fault) {
        try takeStep()
        guard let shape = FormShape(of: attribute.form, in: format)
        else { throw .form(attribute.form) }
        if shape.extent == .fixed, steps.count > firstStep, let last = steps.last,
            last.extent == .fixed
        {
            steps[steps.count - 1] = FormShape(size: last.size + shape.size)
        } else {
            steps.append(shape)
        }
        let name = Int32(truncatingIfNeeded: attribute.name)
        if name == DW_AT_low_pc || name == DW_AT_ranges { program.mayHaveCode = true }
        if attribute.name <= UInt64(UInt16.max), Self.isRead(name) {
            guard readsCount < AbbreviationPrograms.readsLimit else { throw .tooManyReads }
            readsCount += 1
            reads.append(
                ReadStep(
                    name: UInt16(attribute.name), form: UInt16(attribute.form), shape: shape,
                    constant: attribute.constant))
            readsNeeded = reads.count
        } else {
            stepOver(shape)
        }
    }

    mutating func end() {
        reads.removeLast(reads.count - readsNeeded)
        program.steps = firstStep..<steps.count
        program.reads = firstRead..<reads.count
        program.kind = kind
        if steps.count == firstStep {
            program.fixedSize = 0
        } else if steps.count == firstStep + 1, steps[firstStep].extent == .fixed {
            program.fixedSize = steps[firstStep].size
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
            if sparse[code] == nil { sparse[code] = program }
            return
        }
        while dense.count <= Int(code) { dense.append(AbbreviationProgram()) }
        if dense[Int(code)].tag == 0 { dense[Int(code)] = program }
    }

    private mutating func stepOver(_ shape: FormShape) {
        var shape = shape
        if shape.extent == .fixed, reads.count > firstRead, let last = reads.last, last.name == 0,
            last.shape.extent == .fixed
        {
            shape = FormShape(size: last.shape.size + shape.size)
            reads.removeLast()
        }
        reads.append(ReadStep(name: 0, form: 0, shape: shape, constant: 0))
    }

    private mutating func takeStep() throws(Fault) {
        guard stepsLeft > 0 else { throw .tooLarge }
        stepsLeft -= 1
    }

    /// Whether ``FunctionAttributes``, ``NameAttributes`` or ``UnitAttributes`` takes it.
    private static func isRead(_ name: Int32) -> Bool {
        switch name {
        case DW_AT_low_pc, DW_AT_high_pc, DW_AT_ranges, DW_AT_entry_pc, DW_AT_call_file,
            DW_AT_call_line, DW_AT_call_column, DW_AT_name, DW_AT_linkage_name,
            DW_AT_MIPS_linkage_name,
            DW_AT_abstract_origin, DW_AT_specification, DW_AT_producer, DW_AT_comp_dir,
            DW_AT_stmt_list, DW_AT_addr_base, DW_AT_GNU_addr_base, DW_AT_str_offsets_base,
            DW_AT_rnglists_base, DW_AT_dwo_name, DW_AT_GNU_dwo_name, DW_AT_dwo_id,
            DW_AT_GNU_dwo_id:
            true
        default: false
        }
    }
}
