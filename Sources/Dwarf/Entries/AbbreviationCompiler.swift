import ByteReading
import CLibDwarf

/// Compiles abbreviations into programs, one after another.
struct AbbreviationCompiler {
    /// The programs by code. Code 0 ends lists of entries, and has an empty program.
    private(set) var dense: [AbbreviationProgram] = []
    /// Positions in ``sparsePrograms`` by code.
    private(set) var sparse: [UInt64: Int] = [:]
    private(set) var sparsePrograms: [AbbreviationProgram] = []
    private(set) var steps: [FormShape] = []
    private(set) var reads: [ReadStep] = []

    private var format: FormShape.Format?
    private var shapes: FormShape.Table?
    private var stepsLeft = 0
    private var code: UInt64 = 0
    private var program = AbbreviationProgram()
    private var subject: EntrySubject?
    private var firstStep = 0
    private var firstRead = 0
    /// The total size of the values that the next step, and the next read, will skip.
    private var sizeToStep = 0
    private var sizeToRead = 0
    /// The number of ``reads`` needed. Steps after the last requested value are not.
    private var readsNeeded = 0
    /// The number of values that the abbreviation reads.
    private var readsCount = 0

    enum Fault: Error {
        case tooLarge
        case tooManyReads
        case form(UInt64)

        func reading(in section: FileBytes, at offset: UInt64) -> ReadingError {
            let what =
                switch self {
                case .tooLarge: "table has too many abbreviations"
                case .tooManyReads:
                    "abbreviation has more than \(AbbreviationPrograms.readsLimit) attributes to read"
                case .form(let form): "unsupported form 0x\(String(form, radix: 16))"
                }
            return ReadingError(.malformed(what), in: section.subject, at: offset)
        }
    }

    /// Begins a table.
    mutating func start(_ format: FormShape.Format, stepsLimit: Int) {
        dense.removeAll(keepingCapacity: true)
        dense.append(AbbreviationProgram())
        sparse.removeAll()
        sparsePrograms.removeAll()
        steps.removeAll(keepingCapacity: true)
        reads.removeAll(keepingCapacity: true)
        stepsLeft = stepsLimit
        if self.format != format {
            self.format = format
            shapes = FormShape.Table(for: format)
        }
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
        sizeToStep = 0
        sizeToRead = 0
        readsNeeded = reads.count
        readsCount = 0
    }

    mutating func add(_ attribute: AbbreviationCursor.Attribute) throws(Fault) {
        try takeStep()
        guard let shape = shapes?[attribute.form] else { throw .form(attribute.form) }
        if shape.extent == .fixed {
            sizeToStep += shape.size
        } else {
            endStep()
            steps.append(shape)
        }
        if attribute.name == UInt64(DW_AT_low_pc) || attribute.name == UInt64(DW_AT_ranges) {
            program.mayHaveCode = true
        }
        guard let subject else { return }
        if let slot = EntryValues.Slot(attribute.name, of: subject) {
            guard readsCount < AbbreviationPrograms.readsLimit else { throw .tooManyReads }
            readsCount += 1
            endRead()
            reads.append(
                ReadStep(
                    slot: slot, form: UInt16(attribute.form), shape: shape,
                    constantBits: UInt64(bitPattern: attribute.constant)))
            readsNeeded = reads.count
        } else if shape.extent == .fixed {
            sizeToRead += shape.size
        } else {
            endRead()
            reads.append(ReadStep(slot: nil, form: 0, shape: shape, constantBits: 0))
        }
    }

    private mutating func endStep() {
        guard sizeToStep > 0 else { return }
        steps.append(FormShape(size: sizeToStep))
        sizeToStep = 0
    }

    private mutating func endRead() {
        guard sizeToRead > 0 else { return }
        let shape = FormShape(size: sizeToRead)
        reads.append(ReadStep(slot: nil, form: 0, shape: shape, constantBits: 0))
        sizeToRead = 0
    }

    mutating func end() {
        endStep()
        if reads.count > readsNeeded { reads.removeLast(reads.count - readsNeeded) }
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

    /// The kind of code that the abbreviation describes. A function without code still separates
    /// calls below it from the enclosing function, and a call without code has the call site of the
    /// calls below it, unless they have no children either.
    private var kind: CodeEntry.Kind? {
        guard program.mayHaveCode || program.hasChildren else { return nil }
        switch Int32(program.tag) {
        case DW_TAG_subprogram: return .function
        case DW_TAG_inlined_subroutine: return .inlinedCall
        default: return nil
        }
    }

    /// Defines an abbreviation. Of several with the same code, the first one counts.
    private mutating func define() {
        guard code < AbbreviationPrograms.denseLimit else {
            guard sparse[code] == nil else { return }
            sparse[code] = sparsePrograms.count
            sparsePrograms.append(program)
            return
        }
        while dense.count < Int(code) { dense.append(AbbreviationProgram()) }
        if dense.count == Int(code) {
            dense.append(program)
        } else if !dense[Int(code)].isDefined {
            dense[Int(code)] = program
        }
    }

    private mutating func takeStep() throws(Fault) {
        guard stepsLeft > 0 else { throw .tooLarge }
        stepsLeft -= 1
    }
}
