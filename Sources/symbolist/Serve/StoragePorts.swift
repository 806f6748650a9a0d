import CallStacks
import EmbeddedDatabase
import Foundation
import Ingest
import SharedDatabase
import SymbolIntake

/// The databases and files that the service runs on.
struct StoragePorts: Sendable {
    let journal: any Journal
    let archive: any DiagnosticArchive
    let revisions: any RevisionArchive
    let deadLetters: any DeadLetterArchive
    let catalogue: any Catalogue
    let figures: any FigureArchive
    let groups: any GroupArchive
    let stacks: any SampledStackArchive
    let delivery: any DeliveryStatusSource
    let cluster: any ClusterStatusSource
    let blobs: any BlobStore
    /// The indexes that other nodes built, or `nil` if there are no other nodes.
    var sharedIndexes: (any IndexStore)?
    /// The symbol maps and chunks that other nodes received, or `nil` if there are no other nodes.
    var sharedFiles: (any SharedFileStore)?
    /// Returns the size of the database, in bytes.
    let databaseBytes: @Sendable () async throws(JournalError) -> Int64
    let now: @Sendable () -> UnixTime
}

extension StoragePorts {
    /// The storage of one machine: everything is in the data folder.
    init(_ database: EmbeddedDatabase, folder: String) {
        self.init(
            journal: database, archive: database, revisions: database, deadLetters: database,
            catalogue: database, figures: database, groups: database, stacks: database,
            delivery: database,
            cluster: SingleNode(
                name: ProcessInfo.processInfo.hostName, version: Symbolist.release,
                journal: database, now: UnixTime.now),
            blobs: BlobFolder(path: DataFolders(path: folder).blobs),
            databaseBytes: { () throws(JournalError) in database.byteCount }, now: UnixTime.now)
    }

    /// The storage of a node: the database and the bucket are those of the cluster.
    init(_ journal: LaneJournal, of cluster: Cluster) {
        let (database, clock) = (cluster.database, cluster.lanes.clock)
        self.init(
            journal: journal, archive: journal, revisions: journal, deadLetters: journal,
            catalogue: database, figures: database, groups: database, stacks: database,
            delivery: database, cluster: database,
            blobs: cluster.blobs, sharedIndexes: cluster.indexes, sharedFiles: cluster.files,
            databaseBytes: { () async throws(JournalError) in try await database.byteCount() },
            now: { clock.now ?? UnixTime.now() })
    }
}
