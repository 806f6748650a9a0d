public import CallStacks
public import DebugFiles

/// The port to what is known of uploaded debug files and of builds.
public protocol Catalogue: Sendable {
    /// Keeps a debug file, in place of one of the same owner, identity and architecture that is
    /// worse. One that is better or equal stays; the upload then counts as a duplicate. The files of
    /// other owners stay in any case.
    ///
    /// - Parameter replaces: Whether it takes the place of a better or equal one too.
    /// - Returns: What was replaced or stayed.
    func add(
        _ file: StoredDebugFile, replaces: Bool
    ) async throws(CatalogueError) -> CatalogueChange

    /// Notes that an image, known by its product or its debug file, is part of a build.
    func add(_ images: [BuildImage], to build: Build, at now: UnixTime)
        async throws(CatalogueError)

    /// The debug files of an identity, one for each owner and architecture.
    func debugFiles(of image: ImageID) async throws(CatalogueError) -> [StoredDebugFile]

    /// Of these, the ones for which no debug file of at least the quality `lines` answers all of whose
    /// units were read.
    func missing(
        among images: [ImageID], for access: SymbolAccess
    ) async throws(CatalogueError) -> [ImageID]

    func debugFiles(_ query: DebugFileQuery) async throws(CatalogueError) -> [StoredDebugFile]

    /// Removes the debug files of an identity.
    ///
    /// - Parameter owner: The only owner whose files are removed, or `nil` for all owners.
    /// - Returns: What was removed; a blob that no other file needs is the caller's to remove.
    func remove(
        _ image: ImageID, of owner: SymbolOwner?
    ) async throws(CatalogueError) -> [StoredDebugFile]

    /// Removes one debug file of one owner.
    ///
    /// - Returns: Whether it was stored.
    func remove(_ file: StoredDebugFile) async throws(CatalogueError) -> Bool

    func builds(app: String?) async throws(CatalogueError) -> [BuildContents]

    /// Forgets a build and removes the debug files of its app that no other build of the app has.
    ///
    /// - Returns: The files removed; `nil` where there is no such build.
    func remove(_ build: Build) async throws(CatalogueError) -> [StoredDebugFile]?

    /// The images of each app's own bundle, as builds told them; the answer to whether a frame is of
    /// the app.
    func imagesOfBuilds() async throws(CatalogueError) -> [String: Set<ImageID>]

    /// Whether any debug file is made from a blob.
    func isWanted(blob: String) async throws(CatalogueError) -> Bool

    /// Notes when files were last asked for.
    func markUsed(_ files: Set<DebugFileKey>, at now: UnixTime) async throws(CatalogueError)

    /// The debug files that retention takes first: those whose last use or upload was longest ago,
    /// oldest first.
    func leastUsed(count: Int) async throws(CatalogueError) -> [StoredDebugFile]

    /// The size of all blobs together, in bytes, as stored.
    func storedBytes() async throws(CatalogueError) -> Int64
}

/// What ``Catalogue/add(_:)`` did.
public enum CatalogueChange: Hashable, Sendable {
    case added
    /// The new file knows more, and took the place of this one.
    case replaced(StoredDebugFile)
    /// This one stays.
    case kept(StoredDebugFile)
}

extension Catalogue {
    /// Keeps a debug file unless its owner has one that is as good.
    public func add(_ file: StoredDebugFile) async throws(CatalogueError) -> CatalogueChange {
        try await add(file, replaces: false)
    }
}

/// One slice of one uploaded file, regardless of its owner: what a blob and an index are kept for.
public struct DebugFileKey: Hashable, Sendable {
    public var image: ImageID
    public var architecture: String
    public var blob: String

    public init(image: ImageID, architecture: String, blob: String) {
        self.image = image
        self.architecture = architecture
        self.blob = blob
    }
}

/// One slice of one uploaded file, with whom it belongs to.
public struct StoredDebugFile: Hashable, Sendable {
    public var owner: SymbolOwner
    public var image: ImageID
    /// By its name, such as `arm64e`.
    public var architecture: String
    /// The file's own name.
    public var name: String
    public var kind: String
    public var quality: DebugFileSummary.Quality
    /// `nil` if an earlier version stored the file.
    public var completeness: Completeness?
    /// The name of the blob that it is a slice of: SHA-256 of the file, in hexadecimal digits.
    public var blob: String
    /// Of the whole file, before compression.
    public var byteCount: Int64
    /// Of the blob as stored.
    public var storedByteCount: Int64
    public var upload: UnixTime
    public var lastUse: UnixTime
    public var warnings: [String]

    public init(
        owner: SymbolOwner = .everyone, image: ImageID, architecture: String, name: String,
        kind: String, quality: DebugFileSummary.Quality, completeness: Completeness? = nil,
        blob: String, byteCount: Int64, storedByteCount: Int64, upload: UnixTime,
        warnings: [String] = []
    ) {
        self.owner = owner
        self.image = image
        self.architecture = architecture
        self.name = name
        self.kind = kind
        self.quality = quality
        self.completeness = completeness
        self.blob = blob
        self.byteCount = byteCount
        self.storedByteCount = storedByteCount
        self.upload = upload
        lastUse = upload
        self.warnings = warnings
    }

    public var key: DebugFileKey {
        DebugFileKey(image: image, architecture: architecture, blob: blob)
    }
}

/// Which debug files to list. What is `nil` takes no part.
public struct DebugFileQuery: Hashable, Sendable {
    /// Whose files are listed at all.
    public var access = SymbolAccess.everything
    /// The app that owns them.
    public var app: String?
    public var version: String?
    public var build: String?
    public var image: ImageID?
    public var limit: Int

    public init(limit: Int = 1_000) { self.limit = limit }
}

/// An image that belongs to a build.
public struct BuildImage: Hashable, Sendable {
    public var image: ImageID
    public var architecture: String
    public var name: String

    public init(image: ImageID, architecture: String, name: String) {
        self.image = image
        self.architecture = architecture
        self.name = name
    }
}

/// What is known of a build.
public struct BuildContents: Sendable {
    public var build: Build
    public var firstUpload: UnixTime
    public var lastUpload: UnixTime
    /// Each image with the quality of the debug file that answers for the app; `nil` where neither
    /// the app nor anyone for all apps uploaded one.
    public var images: [(image: BuildImage, quality: DebugFileSummary.Quality?)]

    public init(
        build: Build, firstUpload: UnixTime, lastUpload: UnixTime,
        images: [(image: BuildImage, quality: DebugFileSummary.Quality?)]
    ) {
        self.build = build
        self.firstUpload = firstUpload
        self.lastUpload = lastUpload
        self.images = images
    }
}

/// Why the catalogue could not do what it was asked, with the next step.
public struct CatalogueError: Error, Hashable, Sendable, CustomStringConvertible {
    public var isFull: Bool
    public var description: String

    public init(_ description: String, isFull: Bool = false) {
        self.isFull = isFull
        self.description = description
    }
}
