import CallStacks
import EmbeddedDatabase
import Foundation
import Ingest
import Problems
import SharedDatabase
import SharedStorage
import SymbolIntake

/// Moves debug files with their indexes, symbol maps, builds and systems from a data folder to a
/// shared database and bucket. Symbols that are already there are kept.
struct SymbolMove {
    struct Summary: Sendable {
        var fileCount = 0
        var mapCount = 0
    }

    let source: EmbeddedDatabase
    let folders: DataFolders
    let cluster: Cluster
    let progress: MoveProgress

    private static let filesPerStep = 100
    /// The number of files that are moved concurrently, because requests to a bucket are slow.
    private static let width = 4

    func run() async throws -> Summary {
        try FileManager.default.createDirectory(
            atPath: folders.incoming, withIntermediateDirectories: true)
        var summary = Summary()
        summary.mapCount = try await folders.shareSymbolMaps(in: cluster.files)
        summary.fileCount = try await moveFiles()
        try await moveBuilds()
        for (system, images) in try await source.systemImages() {
            try await cluster.database.add(images, ofSystem: system)
        }
        try await moveRefusals()
        return summary
    }

    private func moveFiles() async throws -> Int {
        let total = try await fileCount()
        var (last, done, lostCount): (Int64, Int, Int) = (0, 0, 0)
        while true {
            progress.show("debug files", done, of: total)
            let page = try await source.movedFiles(after: last, count: Self.filesPerStep)
            guard let next = page.last?.id else { break }
            let stored = try await cluster.database.debugFiles(of: page.map(\.file.image))
            let new = page.map(\.file).filter { file in
                !stored.contains { $0.owner == file.owner && $0.key == file.key }
            }
            lostCount += try await move(new)
            (last, done) = (next, done + page.count)
        }
        return done - lostCount
    }

    private func fileCount() async throws -> Int {
        var query = DebugFileQuery()
        query.limit = .max
        return try await source.debugFiles(query).count
    }

    /// - Returns: The number of files whose blobs are missing.
    private func move(_ files: [StoredDebugFile]) async throws -> Int {
        try await withThrowingTaskGroup(of: Bool.self) { group in
            var lostCount = 0
            for (number, file) in files.enumerated() {
                if number >= Self.width, try await group.next() == false { lostCount += 1 }
                group.addTask { try await move(file) }
            }
            for try await isMoved in group where !isMoved { lostCount += 1 }
            return lostCount
        }
    }

    /// - Returns: `false` if the folder does not have its blob.
    private func move(_ file: StoredDebugFile) async throws -> Bool {
        var file = file
        guard try await moveBlob(file.blob) else {
            Console.problem(
                Problem(
                    "\(file.name) \(file.image)", detail: "file is missing in the data folder",
                    suggestion: "upload it again"))
            return false
        }
        if let executable = file.executable, try await !moveBlob(executable.blob) {
            file.executable = nil
        }
        if let companions = file.companions, try await !moveBlob(companions.blob) {
            file.companions = nil
        }
        if let index = folders.indexPath(of: file) {
            try await cluster.indexes.keep(
                fileAt: index, of: file.key, format: DataFolders.indexFormat)
        }
        _ = try await cluster.database.add(file, replaces: false)
        return true
    }

    /// - Returns: `false` if the folder does not have the blob.
    private func moveBlob(_ name: String) async throws -> Bool {
        let copy = folders.newIncomingPath()
        defer { folders.remove(copy) }
        guard try await BlobFolder(path: folders.blobs).fetch(name, to: copy) else { return false }
        try await cluster.blobs.keep(fileAt: copy, as: name)
        return true
    }

    private func moveBuilds() async throws {
        for contents in try await source.builds(app: nil) {
            try await cluster.database.add(
                contents.images.map(\.image), to: contents.build, commit: contents.commit,
                at: contents.firstUpload)
            try await cluster.database.add([], to: contents.build, at: contents.lastUpload)
        }
    }

    private func moveRefusals() async throws {
        let stored = Set(try await cluster.database.refusals(app: nil))
        let new = try await source.refusals(app: nil).filter { !stored.contains($0) }
        try await cluster.database.add(new.sorted { $0.time < $1.time })
    }
}
