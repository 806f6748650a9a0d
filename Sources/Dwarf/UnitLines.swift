import CallStacks

/// The lines and files of a unit; empty for a unit without a line table.
struct UnitLines {
    private var table: LineTable?
    private var files: SourceFiles?
    /// How many sequences were left out because they run backwards or have no end.
    private(set) var sequencesDropped = 0

    /// Where the table lies in `.debug_line`.
    private(set) var extentOfTable: Range<UInt64>?

    /// No lines.
    init() {}

    /// Runs the line program of `unit`.
    init(
        of unit: OpenUnit<some UnitEntries>, in sections: DwarfSections, code: CodeLayout,
        budget: WorkBudget,
        into sink: inout any DebugRecordSink
    ) throws(DwarfError) {
        guard let offset = unit.attributes.lineTable else { return }
        let header = try LineProgramHeader(
            at: offset, in: sections, unit: unit.header, tables: unit.attributes.tables)
        try budget.spend(header.program.upperBound - offset)
        extentOfTable = offset..<header.program.upperBound
        let program: LineProgram
        do {
            program = try LineProgram(header, in: sections, code: code)
        } catch {
            throw DwarfError(.reading(error), unit: unit.header.offset)
        }
        var files = SourceFiles(
            program.header, in: sections, compilationFolder: unit.attributes.compilationFolder)
        let numbers = files.numbers(usedBy: program, in: &sink)
        table = LineTable(program, code: code, files: numbers)
        self.files = files
        sequencesDropped = program.sequencesDropped
    }

    var hasRows: Bool { table.map { !$0.rows.isEmpty } ?? false }

    /// The sink's number of a file of the table.
    mutating func number(
        ofFile number: UInt64?, in sink: inout any DebugRecordSink
    ) -> FileNumber? {
        guard let number, number <= UInt64(UInt32.max) else { return nil }
        return files?.number(of: UInt32(number), in: &sink)
    }

    /// Fills the rows of a function whose ranges are set.
    func appendRows(to record: inout FunctionRecord) {
        table?.appendRows(covering: record.ranges, to: &record.rows)
    }

    /// All the code that has rows, in one range; `nil` if there are none.
    var extent: Range<ImageOffset>? { table?.extent }

    func runs(in range: Range<ImageOffset>) -> [[LineRow]] { table?.runs(in: range) ?? [] }
}
