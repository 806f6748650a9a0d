import CallStacks
import EmbeddedDatabase
import Ingest
import MetricKitSignals
import Problems
import SharedDatabase
import SymbolIntake

/// Moves the contents of an embedded service's data folder to a shared database and bucket.
///
/// Each step can be repeated, so an interrupted move can be continued by running it again. Nodes
/// process and export the moved entries only when everything has been moved.
struct FolderMove {
    let source: EmbeddedDatabase
    let target: FolderImport
    let progress: MoveProgress

    private static let entriesPerStep = 500
    private static let bytesPerStep = 8 << 20
    private static let diagnosticsPerStep = 200
    private static let rowsPerStep = 1_000

    /// Moves the queue and the diagnostics. Call this after the symbols are moved.
    func run() async throws -> MoveSummary {
        let numbering = EntryNumbering(of: try await source.entryNumbers(), after: target.start)
        let cursors = try await source.cursors()
        var summary = MoveSummary(entryCount: numbering.count)
        try await moveEntries(numbering)
        let processed = cursors.first { $0.name == JournalReaders.worker }?.cursor ?? 0
        summary.diagnosticCount = try await moveDiagnostics(numbering, processed: processed)
        try await moveImages()
        try await target.add(try await figures())
        try await movePayloadKeys()
        summary.letterCount = try await moveLetters()
        try await target.awaken(also: Set(try await source.awakenedImages()))
        try await target.finish(
            readers: cursors.map { reader in
                var reader = reader
                reader.cursor = numbering.cursor(reader.cursor)
                return reader
            })
        return summary
    }

    private func moveEntries(_ numbering: EntryNumbering) async throws {
        var done = target.entryCount
        while done < numbering.count {
            progress.show("requests", done, of: numbering.count)
            let entries = try await source.entries(
                after: numbering.last(ofFirst: done), count: Self.entriesPerStep,
                bytes: Self.bytesPerStep)
            guard !entries.isEmpty else { break }
            try await target.append(entries.map(numbering.draft))
            done += entries.count
        }
    }

    /// - Parameter processed: The last entry that the worker has processed.
    private func moveDiagnostics(
        _ numbering: EntryNumbering, processed: Int64
    ) async throws -> Int {
        let count = try await source.diagnosticCount()
        var last = RecordAddress(entry: 0, position: 0)
        if let moved = try await target.lastDiagnostic() {
            last = numbering.original(of: moved) ?? last
        }
        var (done, lostCount) = (0, 0)
        while true {
            progress.show("diagnostics", done, of: count)
            let page = try await source.movedDiagnostics(
                after: last, count: Self.diagnosticsPerStep)
            guard let next = page.last?.record.address else { break }
            let moved = page.compactMap { renumbered($0, numbering, processed: processed) }
            if !moved.isEmpty { try await target.add(moved) }
            (last, done, lostCount) = (
                next, done + page.count, lostCount + page.count - moved.count
            )
        }
        if lostCount > 0 {
            Console.problem("\(lostCount) diagnostics: their requests are not stored: left out")
        }
        return count - lostCount
    }

    /// Returns `nil` if the entry of the diagnostic is not stored.
    private func renumbered(
        _ diagnostic: MovedDiagnostic, _ numbering: EntryNumbering, processed: Int64
    ) -> MovedDiagnostic? {
        guard let address = numbering[diagnostic.record.address] else { return nil }
        var moved = diagnostic
        moved.record.address = address
        moved.record.history = moved.record.history.renumbered { numbering[$0] }
        moved.revisedBy = diagnostic.revisedBy.flatMap { $0 > processed ? numbering[$0] : nil }
        return moved
    }

    private func moveImages() async throws {
        var last: Int64 = 0
        while true {
            let page = try await source.movedImages(after: last, count: Self.rowsPerStep)
            guard let next = page.last?.number else { return }
            try await target.add(page.map(\.image))
            last = next
        }
    }

    private func figures() async throws -> [VersionFigures] {
        var query = FigureQuery()
        query.isByDay = true
        query.limit = .max
        return try await source.figures(query)
    }

    private func movePayloadKeys() async throws {
        var last: Int64 = 0
        while true {
            let page = try await source.payloadKeys(after: last, count: Self.rowsPerStep)
            guard let next = page.last?.id else { return }
            try await target.add(payloads: page.map(\.key))
            last = next
        }
    }

    /// - Returns: The number of all dead letters.
    private func moveLetters() async throws -> Int {
        var last = try await target.lastLetter()
        while let letter = try await source.movedLetter(after: last) {
            try await target.add(letter)
            last = letter.letter.id
        }
        return try await source.deadLetterCounts().reduce(0) { $0 + $1.letterCount }
    }
}

/// The result of a move.
struct MoveSummary: Sendable {
    var entryCount = 0
    var diagnosticCount = 0
    var letterCount = 0
    var symbols = SymbolMove.Summary()

    /// `40 requests, 12 diagnostics, 3 debug files`.
    var text: String {
        [
            "\(entryCount) requests", "\(diagnosticCount) diagnostics",
            "\(letterCount) dead letters", "\(symbols.fileCount) debug files",
            "\(symbols.mapCount) symbol maps",
        ].joined(separator: ", ")
    }
}

/// Shows the progress of a move on a terminal.
struct MoveProgress {
    private let number = Console.progress.begin("moving")

    func show(_ subject: String, _ done: Int, of total: Int) {
        Console.progress.update(number, "moving \(subject): \(done) of \(total)")
    }

    func end() { Console.progress.end(number) }
}
