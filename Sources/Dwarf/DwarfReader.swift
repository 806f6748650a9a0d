import ByteReading
public import CallStacks

/// Reads the functions, inlined calls and lines of one image out of its DWARF sections, versions 2
/// to 5.
public struct DwarfReader: Sendable {
    let sections: DwarfSections
    private let splitFiles: SplitFiles
    private let layout: ImageLayout
    private let architecture: Architecture
    private let usesLibDwarf: Bool
    /// How many bytes of entries a worker takes at once at least.
    var runBytes = UnitQueue.runBytes

    /// - Parameters:
    ///   - splitFiles: Where the units are that were split off from those of the image.
    ///   - layout: Tells code from what linkers left over of functions that they dropped.
    ///   - usesLibDwarf: Reads entries through libdwarf even where that is not needed, for a second
    ///     opinion.
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

    /// Hands every function and every row of the line tables to `sink`.
    ///
    /// A unit that is damaged costs what it says, not the file: the summary tells which.
    ///
    /// - Throws: When nothing can be read at all.
    public func read(into sink: inout some DebugRecordSink) throws(DwarfError) -> DwarfSummary {
        let scan = try scan()
        let queue = queue(of: scan)
        let pool = WorkPool(size: byteCount)
        let refusal = refusal(of: scan)
        let notes = try withAnySink(&sink) { (sink) throws(DwarfError) in
            try read(queue, of: scan, pool, usesLibDwarf: refusal != nil, into: &sink)
        }
        return DwarfSummary([notes], unreadable: scan.failures).readThroughLibDwarf(refusal)
    }

    /// The same by several workers at once, each with a sink of its own. What the sinks were handed,
    /// taken together, is the same for any number of workers.
    ///
    /// - Parameters:
    ///   - workers: How many there are at most. Of libdwarf there is one.
    ///   - makeSink: Called for each worker, and again if its sink has to be thrown away.
    public func read<Sink: DebugRecordSink & Sendable>(
        workers: Int, makingSinks makeSink: @Sendable () -> Sink
    ) async throws(DwarfError) -> (sinks: [Sink], summary: DwarfSummary) {
        let scan = try scan()
        let queue = queue(of: scan)
        let count = min(workers, queue.runCount)
        if count > 1, refusal(of: scan) == nil {
            let results = try await read(queue, of: scan, workers: count, makingSinks: makeSink)
            let notes = results.map(\.notes)
            // How far they came together depends on chance; one alone always gets equally far.
            if !notes.contains(where: \.isExhausted) {
                return (
                    results.map(\.sink), DwarfSummary(notes, unreadable: scan.failures)
                )
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

    /// Gives `sink` to `body` as a sink of no known type.
    ///
    /// The sink's type is of another module, and code that is generic over it would look its types
    /// up while it runs, which costs several times as much. Moved in and out, it is not copied.
    private func withAnySink<Sink: DebugRecordSink>(
        _ sink: inout Sink,
        _ body: (inout any DebugRecordSink) throws(DwarfError) -> UnitNotes
    ) throws(DwarfError) -> UnitNotes {
        var anySink: any DebugRecordSink = consume sink
        let result = Result { () throws(DwarfError) in try body(&anySink) }
        guard let same = anySink as? Sink else { preconditionFailure("the sink has another type") }
        sink = same
        return try result.get()
    }

    /// What one worker does.
    private func read(
        _ queue: UnitQueue, of scan: UnitScan, _ pool: WorkPool, usesLibDwarf: Bool,
        into sink: inout any DebugRecordSink
    ) throws(DwarfError) -> UnitNotes {
        if usesLibDwarf {
            var reading = try reading(scan, pool, through: LibDwarfSource.self)
            return reading.run(queue, into: &sink)
        }
        var reading = try reading(scan, pool, through: MappedSource.self)
        return reading.run(queue, into: &sink)
    }

    /// What ``read(into:)`` would find, from the heads of the units and a bounded look at what
    /// follows: entries that come late may be missed.
    public func summary() throws(DwarfError) -> DwarfSummary {
        let scan = try scan()
        let refusal = refusal(of: scan)
        let notes = try look(at: scan, usesLibDwarf: refusal != nil)
        return DwarfSummary([notes], unreadable: scan.failures).readThroughLibDwarf(refusal)
    }

    private func look(at scan: UnitScan, usesLibDwarf: Bool) throws(DwarfError) -> UnitNotes {
        let pool = WorkPool(size: byteCount)
        if usesLibDwarf {
            var reading = try reading(scan, pool, through: LibDwarfSource.self)
            return reading.look()
        }
        var reading = try reading(scan, pool, through: MappedSource.self)
        return reading.look()
    }

    private func reading<Source: EntrySource>(
        _ scan: UnitScan, _ pool: WorkPool, through source: Source.Type
    ) throws(DwarfError) -> UnitReading<Source> {
        try UnitReading(
            sections, splitFiles: splitFiles, scan: scan,
            code: CodeLayout(layout, architecture: architecture), pool: pool)
    }

    func scan() throws(DwarfError) -> UnitScan {
        for name in [DwarfSections.Name.info, .abbrev] where sections.bytes(name).isEmpty {
            throw DwarfError(.missingSection(name.rawValue))
        }
        return try UnitScan(sections.bytes(.info), bigEndian: sections.isBigEndian)
    }

    /// A unit that others were split off from says little of how long it takes: each is a run.
    private func queue(of scan: UnitScan) -> UnitQueue {
        UnitQueue(scan.units, runBytes: splitFiles.isEmpty ? runBytes : 1)
    }

    /// The size of all that may be read, in bytes.
    private var byteCount: UInt64 { sections.byteCount + splitFiles.byteCount }

    private func refusal(of scan: UnitScan) -> MappedRefusal? {
        usesLibDwarf ? .notWanted : MappedRefusal(of: sections, units: scan.units)
    }
}
