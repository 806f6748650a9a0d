import ByteReading
public import CallStacks
import Dwarf

extension DebugFile {
    /// Hands everything that the file says about code to `sink`: symbols, function starts, then
    /// functions and rows of lines.
    ///
    /// What cannot be read is a warning and costs nothing else: without its debug information a
    /// file still has its symbols.
    ///
    /// - Parameter usesLibDwarf: Reads debug information through libdwarf even where that is not
    ///   needed, for a second opinion.
    public func read(
        into sink: inout some DebugRecordSink, usesLibDwarf: Bool = false
    ) -> DebugFileSummary {
        var summary = DebugFileSummary(warnings: warnings)
        readSymbols(&summary, into: &sink)
        readDwarf(&summary, usesLibDwarf: usesLibDwarf) { reader throws(DwarfError) in
            try reader.read(into: &sink)
        }
        return summary
    }

    /// The same by several workers at once, each with a sink of its own. What the sinks were handed,
    /// taken together, is the same for any number of workers.
    ///
    /// - Parameter makeSink: Called for each worker, and again if its sink has to be thrown away.
    public func read<Sink: DebugRecordSink & Sendable>(
        workers: Int, makingSinks makeSink: @Sendable () -> Sink
    ) async -> (sinks: [Sink], summary: DebugFileSummary) {
        var summary = DebugFileSummary(warnings: warnings)
        var sinks: [Sink] = []
        if hasDebugInformation {
            let reader = reader(of: await inflatedSectionsTogether(), &summary)
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

    /// What ``read(into:)`` would find, from the symbol table and a look at each unit.
    public func summary() -> DebugFileSummary {
        var summary = DebugFileSummary(warnings: warnings)
        readSymbols(&summary) { _, _ in }
        readFunctionStarts(&summary) { _ in }
        countPlaceholders(&summary)
        readDwarf(&summary) { reader throws(DwarfError) in try reader.summary() }
        return summary
    }

    private func readSymbols(
        _ summary: inout DebugFileSummary, into sink: inout some DebugRecordSink
    ) {
        readSymbols(&summary) { symbol, names in
            let number = names.withSpan(of: symbol.name) { sink.number(ofName: $0) }
            sink.add(
                SymbolRecord(
                    name: number, start: symbol.range.lowerBound,
                    end: symbol.range.isEmpty ? nil : symbol.range.upperBound, rank: symbol.rank))
        }
        readFunctionStarts(&summary) { sink.add(functionStart: $0) }
    }

    private func readSymbols(
        _ summary: inout DebugFileSummary, _ body: (PlacedSymbol, FileBytes) -> Void
    ) {
        do {
            guard let table = try container.codeSymbols() else { return }
            var count = 0
            var hasLocals = false
            defer {
                // What was handed over before an error counts as well.
                summary.symbolCount = count
                summary.hasFullSymbolTable = count > 0 && (table.isFull || hasLocals)
            }
            let damagedCount = try table.forEach { symbol in
                guard let placed = PlacedSymbol(symbol, layout: layout) else { return }
                count += 1
                hasLocals = hasLocals || symbol.rank == .local
                table.names.withSpan(of: symbol.name) { summary.placeholders.add($0) }
                body(placed, table.names)
            }
            if damagedCount > 0 { summary.warn(.damagedSymbols(damagedCount)) }
            if !hasDebugInformation, try container.namesObjectFiles() {
                summary.warn(.leftInObjectFiles)
            }
        } catch { summary.warn(DebugFileWarning(error)) }
    }

    /// Debug information has placeholders of its own. Bitcode was Apple's, whose linkers compress no
    /// names.
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
        let reader = reader(of: inflatedSections(), usesLibDwarf: usesLibDwarf, &summary)
        do throws(DwarfError) {
            summary.add(try read(reader), isLinked: kind != .elfObject)
        } catch { summary.warn(DebugFileWarning(.malformed, error.description)) }
    }

    private func reader(
        of inflated: InflatedSections, usesLibDwarf: Bool = false, _ summary: inout DebugFileSummary
    ) -> DwarfReader {
        for error in inflated.errors { summary.warn(DebugFileWarning(error)) }
        return DwarfReader(
            sections: inflated.sections, splitFiles: allSplitFiles, layout: layout,
            architecture: architecture, usesLibDwarf: usesLibDwarf)
    }
}

/// A symbol of code by its place in the image.
private struct PlacedSymbol {
    let name: Range<Int>
    /// Empty where the format has no sizes.
    let range: Range<ImageOffset>
    let rank: SymbolRecord.Rank

    /// `nil` for a symbol outside the code sections, and so for all data.
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
