public import CallStacks
public import SymbolIntake

extension EmbeddedDatabase: Catalogue {
    public func add(
        _ file: StoredDebugFile, replaces: Bool
    ) async throws(StorageError) -> CatalogueChange {
        try await asCatalogue { () async throws(DatabaseProblem) in
            try await writer.write { db in
                try DebugFileTable(db).add(file, replaces: replaces)
            }
        }
    }

    public func recordChange(of file: StoredDebugFile) async throws(StorageError) -> Int64 {
        try await asCatalogue { () async throws(DatabaseProblem) in
            try await writer.write { db in try SymbolChangeTable(db).add(file) }
        }
    }

    public func lastSymbolChange() async throws(StorageError) -> Int64 {
        try await asCatalogue { () async throws(DatabaseProblem) in
            try await read { db in try SymbolChangeTable(db).last() }
        }
    }

    public func symbolChanges(
        after number: Int64
    ) async throws(StorageError) -> SymbolChangeList {
        try await asCatalogue { () async throws(DatabaseProblem) in
            try await read { db in try SymbolChangeTable(db).changes(after: number) }
        }
    }

    public func add(
        _ images: [BuildImage], to build: Build, commit: SourceCommit?, at now: UnixTime
    ) async throws(StorageError) {
        try await asCatalogue { () async throws(DatabaseProblem) in
            try await writer.write { db in
                try BuildTable(db).add(images, to: build, commit: commit, at: now)
            }
        }
    }

    public func debugFiles(of image: ImageID) async throws(StorageError) -> [StoredDebugFile] {
        try await asCatalogue { () async throws(DatabaseProblem) in
            try await read { db in try DebugFileTable(db).files(of: image) }
        }
    }

    public func debugFiles(
        of images: [ImageID]
    ) async throws(StorageError) -> [StoredDebugFile] {
        try await asCatalogue { () async throws(DatabaseProblem) in
            try await read { db in try images.flatMap { try DebugFileTable(db).files(of: $0) } }
        }
    }

    public func images(
        startingWith prefix: [UInt8], limit: Int
    ) async throws(StorageError) -> [ImageID] {
        try await asCatalogue { () async throws(DatabaseProblem) in
            try await read { db in
                try DebugFileTable(db).images(startingWith: prefix, limit: limit)
            }
        }
    }

    public func missing(
        among images: [ImageID], for access: DebugFileAccess
    ) async throws(StorageError) -> [ImageID] {
        try await asCatalogue { () async throws(DatabaseProblem) in
            try await read { db in
                try images.filter { try DebugFileTable(db).isMissing($0, for: access) }
            }
        }
    }

    public func debugFiles(
        _ query: DebugFileQuery
    ) async throws(StorageError) -> [StoredDebugFile] {
        try await asCatalogue { () async throws(DatabaseProblem) in
            try await read { db in try DebugFileTable(db).files(query) }
        }
    }

    public func keep(
        _ executable: StoredExecutable, beside file: StoredDebugFile
    ) async throws(StorageError) -> Bool {
        try await asCatalogue { () async throws(DatabaseProblem) in
            try await writer.write { db in try DebugFileTable(db).keep(executable, beside: file) }
        }
    }

    public func remove(
        _ image: ImageID, of owner: SymbolOwner?
    ) async throws(StorageError) -> [StoredDebugFile] {
        try await asCatalogue { () async throws(DatabaseProblem) in
            try await writer.write { db in try DebugFileTable(db).remove(image, of: owner) }
        }
    }

    public func remove(_ file: StoredDebugFile) async throws(StorageError) -> Bool {
        try await asCatalogue { () async throws(DatabaseProblem) in
            try await writer.write { db in try DebugFileTable(db).remove(file) }
        }
    }

    public func builds(_ query: BuildQuery) async throws(StorageError) -> [BuildContents] {
        try await asCatalogue { () async throws(DatabaseProblem) in
            try await read { db in try BuildTable(db).builds(query) }
        }
    }

    public func exclusiveFiles(
        of build: Build
    ) async throws(StorageError) -> [StoredDebugFile]? {
        try await asCatalogue { () async throws(DatabaseProblem) in
            try await read { db in try BuildTable(db).exclusiveFiles(of: build) }
        }
    }

    public func remove(_ build: Build) async throws(StorageError) -> [StoredDebugFile]? {
        try await asCatalogue { () async throws(DatabaseProblem) in
            try await writer.write { db in try BuildTable(db).remove(build) }
        }
    }

    public func add(
        _ images: [ImageID], ofSystem system: SystemBuild?
    ) async throws(StorageError) {
        try await asCatalogue { () async throws(DatabaseProblem) in
            try await writer.write { db in try SystemImageTable(db).add(images, of: system) }
        }
    }

    public func systems() async throws(StorageError) -> [StoredSystem] {
        try await asCatalogue { () async throws(DatabaseProblem) in
            try await read { db in try SystemImageTable(db).systems() }
        }
    }

    public func removeSystem(
        build: String
    ) async throws(StorageError) -> [StoredDebugFile]? {
        try await asCatalogue { () async throws(DatabaseProblem) in
            try await writer.write { db in try SystemImageTable(db).remove(build: build) }
        }
    }

    public func appImages() async throws(StorageError) -> [String: Set<ImageID>] {
        try await asCatalogue { () async throws(DatabaseProblem) in
            try await read { db in try BuildTable(db).images() }
        }
    }

    public func isReferenced(blob: String) async throws(StorageError) -> Bool {
        try await asCatalogue { () async throws(DatabaseProblem) in
            try await read { db in try DebugFileTable(db).isReferenced(blob: blob) }
        }
    }

    public func markUsed(
        _ files: Set<DebugFileKey>, at now: UnixTime
    ) async throws(StorageError) {
        try await asCatalogue { () async throws(DatabaseProblem) in
            try await writer.write { db in try DebugFileTable(db).markUsed(files, at: now) }
        }
    }

    public func leastRecentlyUsed(count: Int) async throws(StorageError) -> [StoredDebugFile] {
        try await asCatalogue { () async throws(DatabaseProblem) in
            try await read { db in try DebugFileTable(db).leastRecentlyUsed(count: max(count, 0)) }
        }
    }

    public func add(_ refusals: [UploadRefusal]) async throws(StorageError) {
        guard !refusals.isEmpty else { return }
        try await asCatalogue { () async throws(DatabaseProblem) in
            try await writer.write { db in try UploadRefusalTable(db).add(refusals) }
        }
    }

    public func refusals(app: String?) async throws(StorageError) -> [UploadRefusal] {
        try await asCatalogue { () async throws(DatabaseProblem) in
            try await read { db in try UploadRefusalTable(db).refusals(app: app) }
        }
    }

    public func storedBytes() async throws(StorageError) -> Int64 {
        try await asCatalogue { () async throws(DatabaseProblem) in
            try await read { db in try DebugFileTable(db).storedBytes() }
        }
    }

    private func asCatalogue<Value>(
        _ body: () async throws(DatabaseProblem) -> Value
    ) async throws(StorageError) -> Value {
        do {
            return try await body()
        } catch {
            throw StorageError(error)
        }
    }
}
