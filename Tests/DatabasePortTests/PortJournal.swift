import CallStacks
import EmbeddedDatabase
import Ingest
import JournalSupport
import SharedDatabase
import SymbolIntake

/// What both databases promise of a journal and its archives.
protocol PortJournal: Journal, DiagnosticArchive, RevisionArchive, DeadLetterArchive {
    func dropReader(_ name: String) async throws(JournalError)
}

extension EmbeddedDatabase: PortJournal {}
extension LaneJournal: PortJournal {}

/// What pages and metrics show of the diagnostics of both databases.
protocol PortArchives: GroupArchive, FigureArchive, SampledStackArchive, DeliveryStatusSource {}

extension EmbeddedDatabase: PortArchives {}
extension SharedDatabase: PortArchives {}

extension PortJournal {
    /// Records a change of an image's symbols, and marks the diagnostics that wait for it.
    ///
    /// - Returns: The number of marked diagnostics.
    func wake(
        _ catalogue: any Catalogue, waitingFor image: ImageID, of owner: SymbolOwner = .everyone,
        since oldest: UnixTime, due: UnixTime
    ) async throws -> Int {
        _ = try await catalogue.recordChange(of: debugFile(of: image, owner: owner))
        return try await markAll(waitingFor: image, ResendTerms(oldest: oldest, due: due))
    }
}
