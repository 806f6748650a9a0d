import CallStacks

/// The lines and files of a unit, empty for a unit without a line table.
struct UnitLines {
    private var table: LineTable?
    private var files: LineTableFiles?
    /// The number of sequences dropped because of descending addresses or a missing end.
    private(set) var sequencesDropped = 0

    /// The range of the table in `.debug_line`.
    private(set) var extentOfTable: Range<UInt64>?

    /// Creates an empty value.
    init() {}

    /// Runs the line program of `unit`.
    ///
    /// - Parameter storage: The memory for rows.
    init(
        of unit: OpenUnit<some UnitEntries>, in sections: DwarfSections, code: CodeLayout,
        budget: WorkBudget, storage: inout LineStorage, into sink: inout any DebugRecordSink
    ) throws(DwarfError) {
        guard let offset = unit.attributes.lineTable else { return }
        let header = try LineProgramHeader(
            at: offset, in: sections, unit: unit.header, tables: unit.attributes.tables,
            budget: budget)
        extentOfTable = offset..<header.program.upperBound
        var program: LineProgram
        do {
            program = try LineProgram(
                header, in: sections, code: code, storage: storage.takeProgramRows())
        } catch {
            throw DwarfError(.reading(error), unit: unit.header.offset)
        }
        var files = LineTableFiles(
            program.header, in: sections, compilationFolder: unit.attributes.compilationFolder,
            budget: budget)
        let numbers = try files.numbers(usedBy: program, in: &sink)
        table = LineTable(
            program, code: code, files: numbers, storage: storage.takeTableRows())
        self.files = files
        sequencesDropped = program.sequencesDropped
        storage.keep(program.takeRows())
    }

    /// Empties the table and returns its storage.
    mutating func takeRows() -> [LineRow] {
        let rows = table?.rows ?? []
        table = nil
        return rows
    }

    var hasRows: Bool { table.map { !$0.rows.isEmpty } ?? false }

    /// Returns the sink's number of a file of the table.
    mutating func number(
        ofFile number: UInt64?, in sink: inout any DebugRecordSink
    ) throws(DwarfError) -> FileNumber? {
        guard let number, number <= UInt64(UInt32.max) else { return nil }
        return try files?.number(of: UInt32(number), in: &sink)
    }

    /// Fills the rows of a function whose ranges are set.
    func appendRows(to record: inout FunctionRecord) {
        table?.appendRows(covering: record.ranges, to: &record.rows)
    }

    /// The range from the first to the last code with rows, or `nil` if there are none.
    var extent: Range<ImageOffset>? { table?.extent }

    func forEachRun(in range: Range<ImageOffset>, _ body: ([LineRow]) -> Void) {
        table?.forEachRun(in: range, body)
    }
}

/// Memory that is reused for the rows of each unit, so that the system does not have to map new
/// pages.
struct LineStorage {
    private var programRows: [ProgramRow] = []
    private var tableRows: [LineRow] = []

    /// Returns an empty list that has room.
    mutating func takeProgramRows() -> [ProgramRow] {
        var rows: [ProgramRow] = []
        swap(&rows, &programRows)
        rows.removeAll(keepingCapacity: true)
        return rows
    }

    /// Returns an empty list that has room.
    mutating func takeTableRows() -> [LineRow] {
        var rows: [LineRow] = []
        swap(&rows, &tableRows)
        rows.removeAll(keepingCapacity: true)
        return rows
    }

    mutating func keep(_ rows: consuming [ProgramRow]) { programRows = rows }
    mutating func keep(_ rows: consuming [LineRow]) { tableRows = rows }
}
