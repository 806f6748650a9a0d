import ByteReading
public import CallStacks

/// Reads the functions, inlined calls and lines of one image from its DWARF sections, versions 2 to
/// 5.
public struct DwarfReader: Sendable {
    let sections: DwarfSections
    private let splitFiles: SplitFiles
    private let layout: ImageLayout
    private let architecture: Architecture
    private let usesLibDwarf: Bool
    /// The minimum number of bytes of entries in a run.
    var runBytes = UnitQueue.runBytes
    /// The maximum number of bytes of entries read for an excerpt. Several workers read more
    /// faster.
    var excerptBytesLimit: UInt64 = 16 << 20

    /// - Parameters:
    ///   - splitFiles: The files with the image's split units.
    ///   - layout: The layout, which distinguishes code from remnants of functions that linkers
    ///     dropped.
    ///   - usesLibDwarf: Whether to read entries through libdwarf even if that is not needed, for a
    ///     second opinion.
    public init(
        sections: DwarfSections, splitFiles: SplitFiles = SplitFiles(), layout: ImageLayout,
        architecture: Architecture, usesLibDwarf: Bool = false
    ) {
        self.usesLibDwarf = usesLibDwarf
        self.sections = sections
        self.splitFiles = splitFiles
        self.layout = layout
        self.architecture = architecture
    }

    /// Passes all functions and all rows of the line tables to `sink`.
    ///
    /// A damaged unit does not affect others; the summary lists it.
    ///
    /// - Throws: ``DwarfError`` if nothing can be read at all.
    public func read(into sink: inout some DebugRecordSink) throws(DwarfError) -> DwarfSummary {
        let scan = try scan()
        let queue = queue(of: scan)
        let pool = WorkPool(size: byteCount)
        let refusal = refusal(of: scan)
        let notes = try withAnySink(&sink) { (sink) throws(DwarfError) in
            try read(queue, of: scan, pool, usesLibDwarf: refusal != nil, into: &sink)
        }
        return DwarfSummary([notes], of: scan).readThroughLibDwarf(refusal)
    }

    /// Reads with several concurrent workers, each with its own sink. The records in all sinks
    /// together do not depend on the number of workers.
    ///
    /// - Parameters:
    ///   - workers: The maximum number of workers. libdwarf is used by one worker only.
    ///   - makeSink: Creates a sink for a worker. It is called again if the records of a sink are
    ///     discarded.
    public func read<Sink: DebugRecordSink & Sendable>(
        workers: Int, makingSinks makeSink: @Sendable () -> Sink
    ) async throws(DwarfError) -> (sinks: [Sink], summary: DwarfSummary) {
        let scan = try scan()
        let queue = queue(of: scan)
        let count = min(workers, queue.runCount)
        if count > 1, refusal(of: scan) == nil {
            let results = try await read(queue, of: scan, workers: count, makingSinks: makeSink)
            let notes = results.map(\.notes)
            // The amount read by several workers varies; the amount read by a single worker is
            // always the same.
            if !notes.contains(where: \.isExhausted) {
                return (results.map(\.sink), DwarfSummary(notes, of: scan))
            }
        }
        var sink = makeSink()
        let summary = try read(into: &sink)
        return ([sink], summary)
    }

    private func read<Sink: DebugRecordSink & Sendable>(
        _ queue: UnitQueue, of scan: UnitScan, workers: Int,
        makingSinks makeSink: @Sendable () -> Sink
    ) async throws(DwarfError) -> [(sink: Sink, notes: UnitNotes)] {
        let pool = WorkPool(size: byteCount)
        let results = await withTaskGroup(
            of: Result<(sink: Sink, notes: UnitNotes), DwarfError>.self
        ) { group in
            for _ in 0..<workers {
                let sink = makeSink()
                group.addTask {
                    Result { () throws(DwarfError) in
                        var sink = sink
                        let notes = try withAnySink(&sink) { (sink) throws(DwarfError) in
                            try read(queue, of: scan, pool, usesLibDwarf: false, into: &sink)
                        }
                        return (sink, notes)
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        return try results.map { (result) throws(DwarfError) in try result.get() }
    }

    /// Calls `body` with `sink` as an existential.
    ///
    /// The sink's type is from another module, and generic code would look up its witnesses at run
    /// time, which takes several times as long. The sink is moved in and out, not copied.
    func withAnySink<Sink: DebugRecordSink>(
        _ sink: inout Sink,
        _ body: (inout any DebugRecordSink) throws(DwarfError) -> UnitNotes
    ) throws(DwarfError) -> UnitNotes {
        var anySink: any DebugRecordSink = consume sink
        let result = Result { () throws(DwarfError) in try body(&anySink) }
        guard let same = anySink as? Sink else { preconditionFailure("the sink has another type") }
        sink = same
        return try result.get()
    }

    /// Reads the units of a queue, as one worker.
    func read(
        _ queue: UnitQueue, of scan: UnitScan, _ pool: WorkPool, usesLibDwarf: Bool,
        into sink: inout any DebugRecordSink
    ) throws(DwarfError) -> UnitNotes {
        if usesLibDwarf {
            var reading = try reading(scan, pool: pool, through: LibDwarfSource.self)
            return reading.run(queue, into: &sink)
        }
        var reading = try reading(scan, pool: pool, through: MappedSource.self)
        return reading.run(queue, into: &sink)
    }

    /// Returns a summary from the headers of the units and a limited number of entries. It may miss
    /// the contents of later entries.
    public func summary() throws(DwarfError) -> DwarfSummary {
        let scan = try scan()
        let refusal = refusal(of: scan)
        let notes = try look(at: scan, usesLibDwarf: refusal != nil)
        return DwarfSummary([notes], of: scan).readThroughLibDwarf(refusal)
    }

    private func look(at scan: UnitScan, usesLibDwarf: Bool) throws(DwarfError) -> UnitNotes {
        let pool = WorkPool(size: byteCount)
        if usesLibDwarf {
            var reading = try reading(scan, pool: pool, through: LibDwarfSource.self)
            return reading.look()
        }
        var reading = try reading(scan, pool: pool, through: MappedSource.self)
        return reading.look()
    }

    func reading<Source: EntrySource>(
        _ scan: UnitScan, pool: WorkPool, through source: Source.Type
    ) throws(DwarfError) -> UnitReader<Source> {
        try UnitReader(
            sections, splitFiles: splitFiles, scan: scan,
            code: CodeLayout(layout, architecture: architecture), pool: pool)
    }

    func scan() throws(DwarfError) -> UnitScan {
        for name in [DwarfSections.Name.info, .abbrev] where sections.bytes(name).isEmpty {
            throw DwarfError(.missingSection(name.rawValue))
        }
        return try UnitScan(sections.bytes(.info), bigEndian: sections.isBigEndian)
    }

    /// Returns a queue of the units. The size of a skeleton unit says little about the size of its
    /// split unit, so each skeleton unit is a run of its own.
    private func queue(of scan: UnitScan) -> UnitQueue {
        UnitQueue(scan.units, runBytes: splitFiles.isEmpty ? runBytes : 1)
    }

    /// The size of all sections, in bytes.
    var byteCount: UInt64 {
        sections.byteCount + splitFiles.byteCount + (sections.supplement?.sections.byteCount ?? 0)
    }

    func refusal(of scan: UnitScan) -> MappedRefusal? {
        usesLibDwarf ? .notWanted : MappedRefusal(of: sections, units: scan.units)
    }
}
