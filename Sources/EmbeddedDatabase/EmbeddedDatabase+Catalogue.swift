public import CallStacks
public import SymbolIntake

extension EmbeddedDatabase: Catalogue {
    public func add(
        _ file: StoredDebugFile, replaces: Bool
    ) async throws(CatalogueError) -> CatalogueChange {
        try await asCatalogue { () async throws(DatabaseProblem) in
            try await writer.write { db in
                try DebugFileRows(db).add(file, replaces: replaces)
            }
        }
    }

    public func add(
        _ images: [BuildImage], to build: Build, at now: UnixTime
    ) async throws(CatalogueError) {
        try await asCatalogue { () async throws(DatabaseProblem) in
            try await writer.write { db in try BuildRows(db).add(images, to: build, at: now) }
        }
    }

    public func debugFiles(of image: ImageID) async throws(CatalogueError) -> [StoredDebugFile] {
        try await asCatalogue { () async throws(DatabaseProblem) in
            try await read { db in try DebugFileRows(db).files(of: image) }
        }
    }

    public func missing(
        among images: [ImageID], for access: SymbolAccess
    ) async throws(CatalogueError) -> [ImageID] {
        try await asCatalogue { () async throws(DatabaseProblem) in
            try await read { db in
                try images.filter { try DebugFileRows(db).isMissing($0, for: access) }
            }
        }
    }

    public func debugFiles(
        _ query: DebugFileQuery
    ) async throws(CatalogueError) -> [StoredDebugFile] {
        try await asCatalogue { () async throws(DatabaseProblem) in
            try await read { db in try DebugFileRows(db).files(query) }
        }
    }

    public func remove(
        _ image: ImageID, of owner: SymbolOwner?
    ) async throws(CatalogueError) -> [StoredDebugFile] {
        try await asCatalogue { () async throws(DatabaseProblem) in
            try await writer.write { db in try DebugFileRows(db).remove(image, of: owner) }
        }
    }

    public func remove(_ file: StoredDebugFile) async throws(CatalogueError) -> Bool {
        try await asCatalogue { () async throws(DatabaseProblem) in
            try await writer.write { db in try DebugFileRows(db).remove(file) }
        }
    }

    public func builds(app: String?) async throws(CatalogueError) -> [BuildContents] {
        try await asCatalogue { () async throws(DatabaseProblem) in
            try await read { db in try BuildRows(db).builds(app: app) }
        }
    }

    public func remove(_ build: Build) async throws(CatalogueError) -> [StoredDebugFile]? {
        try await asCatalogue { () async throws(DatabaseProblem) in
            try await writer.write { db in try BuildRows(db).remove(build) }
        }
    }

    public func imagesOfBuilds() async throws(CatalogueError) -> [String: Set<ImageID>] {
        try await asCatalogue { () async throws(DatabaseProblem) in
            try await read { db in try BuildRows(db).images() }
        }
    }

    public func isWanted(blob: String) async throws(CatalogueError) -> Bool {
        try await asCatalogue { () async throws(DatabaseProblem) in
            try await read { db in try DebugFileRows(db).isWanted(blob: blob) }
        }
    }

    public func markUsed(
        _ files: Set<DebugFileKey>, at now: UnixTime
    ) async throws(CatalogueError) {
        try await asCatalogue { () async throws(DatabaseProblem) in
            try await writer.write { db in try DebugFileRows(db).markUsed(files, at: now) }
        }
    }

    public func leastUsed(count: Int) async throws(CatalogueError) -> [StoredDebugFile] {
        try await asCatalogue { () async throws(DatabaseProblem) in
            try await read { db in try DebugFileRows(db).leastUsed(count: max(count, 0)) }
        }
    }

    public func storedBytes() async throws(CatalogueError) -> Int64 {
        try await asCatalogue { () async throws(DatabaseProblem) in
            try await read { db in try DebugFileRows(db).storedBytes() }
        }
    }

    private func asCatalogue<Value>(
        _ body: () async throws(DatabaseProblem) -> Value
    ) async throws(CatalogueError) -> Value {
        do {
            return try await body()
        } catch {
            throw CatalogueError(error)
        }
    }
}
