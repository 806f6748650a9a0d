import ByteReading
public import CallStacks
import Dwarf

extension DebugFile {
    /// Passes all records of the file to `sink`: symbols, function starts, then functions and line
    /// rows.
    ///
    /// Unreadable parts become warnings and do not affect the others: a file without readable debug
    /// information still has its symbols.
    ///
    /// - Parameter usesLibDwarf: Whether to read debug information through libdwarf even if the
    ///   fast reader can read it, for a second opinion.
    public func read(
        into sink: inout some DebugRecordSink, usesLibDwarf: Bool = false
    ) -> DebugFileSummary {
        var summary = emptySummary
        readSymbols(&summary, into: &sink)
        readDwarf(&summary, usesLibDwarf: usesLibDwarf) { reader throws(DwarfError) in
            try reader.read(into: &sink)
        }
        return summary
    }

    /// Reads with several workers, each with its own sink. The records in all sinks together do not
    /// depend on the number of workers.
    ///
    /// - Parameter makeSink: Creates a sink for a worker. It is called again if the records of a
    ///   sink are discarded.
    public func read<Sink: DebugRecordSink & Sendable>(
        workers: Int, makingSinks makeSink: @Sendable () -> Sink
    ) async -> (sinks: [Sink], summary: DebugFileSummary) {
        var summary = emptySummary
        var sinks: [Sink] = []
        if hasDebugInformation {
            let reader = reader(of: await inflatedSectionsConcurrently(), summary: &summary)
            do throws(DwarfError) {
                let result = try await reader.read(workers: workers, makingSinks: makeSink)
                sinks = result.sinks
                summary.add(result.summary, isLinked: kind != .elfObject)
            } catch { summary.warn(DebugFileWarning(.malformed, error.description)) }
        }
        if sinks.isEmpty { sinks = [makeSink()] }
        readSymbols(&summary, into: &sinks[0])
        return (sinks, summary)
    }

    /// Reads only the units of the debug information that may describe code at some of `offsets`,
    /// and the symbols that may name it.
    ///
    /// - Returns: `nil` if these offsets require the whole file to be read.
    public func read(
        at offsets: [ImageOffset], into sink: inout some DebugRecordSink
    ) -> DebugFileSummary? {
        var summary = DebugFileSummary(warnings: warnings)
        var functions = FunctionCoverage(of: offsets, passedTo: sink)
        var isEnough = false
        readDwarf(&summary) { reader throws(DwarfError) in
            let units = try reader.read(at: offsets, into: &functions)
            isEnough = units?.unitsFailed == 0 && units?.splitUnitsMissing == 0
            return units ?? DwarfSummary()
        }
        guard isEnough else { return nil }
        sink = functions.base
        // A function owns its code, and only a symbol at its start can rename it. Other code is
        // named by the nearest symbol.
        let starts = functions.coversAll ? functions.starts : nil
        readSymbols(&summary, into: &sink) { starts?.contains($0) ?? true }
        return summary
    }

    /// Returns the summary that ``read(into:)`` would return, from the symbol table and the start
    /// of each unit.
    public func summary() -> DebugFileSummary {
        var summary = emptySummary
        readSymbols(&summary) { _, _ in }
        readFunctionStarts(&summary) { _ in }
        countPlaceholders(&summary)
        readDwarf(&summary) { reader throws(DwarfError) in try reader.summary() }
        return summary
    }

    private var emptySummary: DebugFileSummary {
        var summary = DebugFileSummary(warnings: warnings)
        summary.isOfSystem = isSystemImage
        summary.saysSymbolsAreComplete = hasCompleteSymbols
        return summary
    }

    /// - Parameter isWanted: Whether to forward symbols at an offset.
    private func readSymbols(
        _ summary: inout DebugFileSummary, into sink: inout some DebugRecordSink,
        where isWanted: (ImageOffset) -> Bool = { _ in true }
    ) {
        readSymbols(&summary) { symbol, names in
            guard isWanted(symbol.range.lowerBound) else { return }
            let number = names.withSpan(of: symbol.name) { sink.number(ofName: $0) }
            sink.add(
                SymbolRecord(
                    name: number, start: symbol.range.lowerBound,
                    end: symbol.range.isEmpty ? nil : symbol.range.upperBound, rank: symbol.rank))
        }
        readFunctionStarts(&summary) { if isWanted($0) { sink.add(functionStart: $0) } }
    }

    private func readSymbols(
        _ summary: inout DebugFileSummary, _ body: (PlacedSymbol, FileBytes) -> Void
    ) {
        for table in container.symbolTables() {
            do throws(ReadingError) {
                try read(try table.get(), &summary, body)
            } catch { summary.warn(DebugFileWarning(error)) }
        }
        do {
            if !hasDebugInformation, try container.namesObjectFiles() {
                summary.warn(.leftInObjectFiles)
            }
        } catch { summary.warn(DebugFileWarning(error)) }
    }

    private func read(
        _ table: CodeSymbols, _ summary: inout DebugFileSummary,
        _ body: (PlacedSymbol, FileBytes) -> Void
    ) throws(ReadingError) {
        var count = 0
        var hasLocals = false
        defer {
            // Symbols read before an error count as well.
            summary.symbolCount += count
            if table.isPacked { summary.packedSymbolCount = count }
            if count > 0, table.isFull || hasLocals { summary.hasFullSymbolTable = true }
        }
        let damagedCount = try table.forEach { symbol in
            guard let placed = PlacedSymbol(symbol, layout: layout) else { return }
            count += 1
            hasLocals = hasLocals || [.local, .assemblerLocal].contains(symbol.rank)
            table.names.withSpan(of: symbol.name) { summary.placeholders.add($0) }
            body(placed, table.names)
        }
        if damagedCount > 0 { summary.warn(.damagedSymbols(damagedCount)) }
    }

    /// Counts the placeholders in debug information. Only Apple's platforms used bitcode, and their
    /// linkers do not compress string tables.
    private func countPlaceholders(_ summary: inout DebugFileSummary) {
        guard !kind.isELF,
            case .plain(let names)? = try? container.debugSection(DwarfSections.Name.str.rawValue)
        else { return }
        names.withSpan(of: 0..<names.count) { summary.placeholders.add(table: $0) }
    }

    private func readFunctionStarts(
        _ summary: inout DebugFileSummary, _ body: (ImageOffset) -> Void
    ) {
        do {
            var count = 0
            defer { summary.functionStartCount = count }
            try container.forEachFunctionStart { address in
                guard let offset = layout.offset(of: address),
                    layout.section(containing: offset) != nil
                else { return }
                count += 1
                body(offset)
            }
        } catch { summary.warn(DebugFileWarning(error)) }
    }

    private func readDwarf(
        _ summary: inout DebugFileSummary, usesLibDwarf: Bool = false,
        _ read: (DwarfReader) throws(DwarfError) -> DwarfSummary
    ) {
        guard hasDebugInformation else { return }
        let reader = reader(of: inflatedSections(), usesLibDwarf: usesLibDwarf, summary: &summary)
        do throws(DwarfError) {
            summary.add(try read(reader), isLinked: kind != .elfObject)
        } catch { summary.warn(DebugFileWarning(.malformed, error.description)) }
    }

    private func reader(
        of inflated: InflatedSections, usesLibDwarf: Bool = false, summary: inout DebugFileSummary
    ) -> DwarfReader {
        for error in inflated.errors { summary.warn(DebugFileWarning(error)) }
        var sections = inflated.sections
        sections.supplement = supplement
        return DwarfReader(
            sections: sections, splitFiles: allSplitFiles, layout: layout,
            architecture: architecture, usesLibDwarf: usesLibDwarf)
    }
}

/// A code symbol with its offsets in the image.
private struct PlacedSymbol {
    let name: Range<Int>
    /// The range of its code, or an empty one if the format has no sizes.
    let range: Range<ImageOffset>
    let rank: SymbolRecord.Rank

    /// Returns `nil` for a symbol outside the code sections, such as data.
    init?(_ symbol: CodeSymbol, layout: ImageLayout) {
        guard let start = layout.offset(of: symbol.address),
            let section = layout.section(containing: start)
        else { return nil }
        let space = section.upperBound.rawValue - start.rawValue
        name = symbol.name
        range = start..<ImageOffset(start.rawValue + min(symbol.size, space))
        rank = symbol.rank
    }
}

extension DebugFileWarning {
    fileprivate static let leftInObjectFiles = Self(
        .objectFilesOnly, "debug information is still in object files: run dsymutil")

    fileprivate static func damagedSymbols(_ count: Int) -> Self {
        Self(.malformed, "\(count) symbols have no name in the string table")
    }
}
