public import CallStacks
public import DebugFiles

/// The port to the records of uploaded debug files and of builds.
public protocol Catalogue: Sendable {
    /// Adds a debug file, and replaces a worse one with the same owner, identity and architecture.
    /// If the stored file is as good or better, it is kept, and the upload is a duplicate. The
    /// files of other owners do not change. A debug file without code keeps that of the file it
    /// replaces, see ``StoredExecutable``.
    ///
    /// A file that is stored is a change of symbols. The same write records it, and that the
    /// diagnostics that wait for the image are to be sent again. The removal of a file is a change
    /// as well: diagnostics with frames in a system image wait for it again.
    ///
    /// - Parameter replaces: Whether the file also replaces one that is as good or better.
    /// - Returns: The file that was replaced or kept.
    func add(
        _ file: StoredDebugFile, replaces: Bool
    ) async throws(StorageError) -> CatalogueChange

    /// Records a change of symbols that replaced no debug file: the index of a stored file gets
    /// better names. The same write records that the diagnostics that wait for the image are to be
    /// sent again.
    ///
    /// - Returns: The number of the change.
    @discardableResult
    func recordChange(of file: StoredDebugFile) async throws(StorageError) -> Int64

    /// Returns the number of the last change of symbols, or 0 if there was none.
    func lastSymbolChange() async throws(StorageError) -> Int64

    /// Returns the changes of symbols after the one with a number.
    func symbolChanges(after number: Int64) async throws(StorageError) -> SymbolChangeList

    /// Adds images to a build, whether they were found in the product or in a debug file.
    ///
    /// - Parameter commit: The commit that the build was made from, which replaces an earlier one, or
    ///   `nil` if the upload does not name it.
    func add(
        _ images: [BuildImage], to build: Build, commit: SourceCommit?, at now: UnixTime
    ) async throws(StorageError)

    /// Returns the debug files of an identity, one for each owner and architecture.
    func debugFiles(of image: ImageID) async throws(StorageError) -> [StoredDebugFile]

    /// Returns the debug files of several identities.
    func debugFiles(of images: [ImageID]) async throws(StorageError) -> [StoredDebugFile]

    /// Returns images with debug files whose identities start with the given bytes.
    ///
    /// - Parameter prefix: At least one byte.
    func images(
        startingWith prefix: [UInt8], limit: Int
    ) async throws(StorageError) -> [ImageID]

    /// Returns the given images without a ``StoredDebugFile/isSufficient`` debug file.
    func missing(
        among images: [ImageID], for access: DebugFileAccess
    ) async throws(StorageError) -> [ImageID]

    func debugFiles(_ query: DebugFileQuery) async throws(StorageError) -> [StoredDebugFile]

    /// Keeps an executable beside a stored debug file without code.
    ///
    /// - Returns: Whether it is kept. It is not if the debug file was removed or replaced, or has an
    ///   executable already.
    func keep(
        _ executable: StoredExecutable, beside file: StoredDebugFile
    ) async throws(StorageError) -> Bool

    /// Removes the debug files of an identity.
    ///
    /// - Parameter owner: The only owner whose files are removed, or `nil` for all owners.
    /// - Returns: The removed files. The caller has to delete blobs that no other file needs.
    func remove(
        _ image: ImageID, of owner: SymbolOwner?
    ) async throws(StorageError) -> [StoredDebugFile]

    /// Removes one debug file of one owner.
    ///
    /// - Returns: Whether it was stored.
    func remove(_ file: StoredDebugFile) async throws(StorageError) -> Bool

    /// Returns the builds that match a query, the most recently uploaded first.
    func builds(_ query: BuildQuery) async throws(StorageError) -> [BuildContents]

    /// Returns the debug files of a build's app that belong to no other build of the app, or `nil`
    /// if the build is unknown.
    func exclusiveFiles(of build: Build) async throws(StorageError) -> [StoredDebugFile]?

    /// Removes a build with its ``exclusiveFiles(of:)``.
    ///
    /// - Returns: The removed files, or `nil` if the build is unknown.
    func remove(_ build: Build) async throws(StorageError) -> [StoredDebugFile]?

    /// Records the system that stored system images are part of. Other images are ignored.
    ///
    /// - Parameter system: The system, or `nil` if the upload did not name it. In this case, images
    ///   without a recorded system get those of the diagnostics that wait for them.
    func add(_ images: [ImageID], ofSystem system: SystemBuild?) async throws(StorageError)

    /// Returns the systems with stored images, by build.
    func systems() async throws(StorageError) -> [StoredSystem]

    /// Removes a system for all architectures, and the system images that belong to no other
    /// system.
    ///
    /// - Parameter build: The system's build, such as `22B83`.
    /// - Returns: The removed files, or `nil` if no image of the system is stored.
    func removeSystem(build: String) async throws(StorageError) -> [StoredDebugFile]?

    /// Returns the images in each app's builds, which decide whether a frame is in-app.
    func appImages() async throws(StorageError) -> [String: Set<ImageID>]

    /// Whether any debug file refers to a blob.
    func isReferenced(blob: String) async throws(StorageError) -> Bool

    /// Records when files were last used.
    func markUsed(_ files: Set<DebugFileKey>, at now: UnixTime) async throws(StorageError)

    /// Returns the debug files with the oldest last use or upload, oldest first.
    func leastRecentlyUsed(count: Int) async throws(StorageError) -> [StoredDebugFile]

    /// Adds refused files of an upload. The newest ``UploadRefusal/limit`` are kept.
    func add(_ refusals: [UploadRefusal]) async throws(StorageError)

    /// Returns the refused files of uploads, of one app or of all, the newest first.
    func refusals(app: String?) async throws(StorageError) -> [UploadRefusal]

    /// Returns the total stored size of all blobs, in bytes.
    func storedBytes() async throws(StorageError) -> Int64
}

/// The result of ``Catalogue/add(_:)``.
public enum CatalogueChange: Hashable, Sendable {
    case added(number: Int64)
    /// The new file is better and replaced this one.
    case replaced(StoredDebugFile, number: Int64)
    /// This file stays, because it is as good or better.
    case kept(StoredDebugFile)

    /// The number of the change of symbols, or `nil` if the stored file was kept.
    public var number: Int64? {
        switch self {
        case .added(let number), .replaced(_, let number): number
        case .kept: nil
        }
    }
}

/// The changes of symbols after a certain one.
public struct SymbolChangeList: Hashable, Sendable {
    /// The images of the changes, or `nil` if some of the changes are no longer stored.
    public var images: Set<ImageID>?
    /// The number of the last change, or 0 if there was none.
    public var lastNumber: Int64

    public init(images: Set<ImageID>?, lastNumber: Int64) {
        self.images = images
        self.lastNumber = lastNumber
    }
}

extension Catalogue {
    /// Adds a debug file unless its owner has one that is as good.
    public func add(_ file: StoredDebugFile) async throws(StorageError) -> CatalogueChange {
        try await add(file, replaces: false)
    }

    /// Returns the builds of an app, or of all apps, the most recently uploaded first.
    public func builds(app: String?) async throws(StorageError) -> [BuildContents] {
        try await builds(BuildQuery(app: app))
    }

    /// Adds images to a build, without naming a commit.
    public func add(
        _ images: [BuildImage], to build: Build, at now: UnixTime
    ) async throws(StorageError) {
        try await add(images, to: build, commit: nil, at: now)
    }
}

/// One slice of one uploaded file, regardless of its owner. Indexes are stored by it.
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

/// One slice of one uploaded file, as stored for one owner.
public struct StoredDebugFile: Hashable, Sendable {
    public var owner: SymbolOwner
    public var image: ImageID
    /// The architecture's name, such as `arm64e`.
    public var architecture: String
    /// The file's name.
    public var name: String
    public var kind: String
    public var quality: DebugFileSummary.Quality
    /// The completeness, or `nil` if an earlier version stored the file.
    public var completeness: Completeness?
    /// The name of the blob with the file: its SHA-256, in hexadecimal digits.
    public var blob: String
    /// The size of the whole file, before compression.
    public var byteCount: Int64
    /// The size of the blob as stored.
    public var storedByteCount: Int64
    public var upload: UnixTime
    public var lastUse: UnixTime
    public var warnings: [String]
    /// The executable beside a debug file without code, if one was uploaded.
    public var executable: StoredExecutable?

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

/// A filter for debug files. A property that is `nil` matches everything.
public struct DebugFileQuery: Hashable, Sendable {
    /// The owners whose files may be listed.
    public var access = DebugFileAccess.everything
    /// The app that owns the files.
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

/// A system with stored images.
public struct StoredSystem: Hashable, Sendable {
    public var system: SystemBuild
    public var imageCount: Int
    /// The stored size of the images, which may also belong to other systems.
    public var storedByteCount: Int64

    public init(system: SystemBuild, imageCount: Int, storedByteCount: Int64) {
        self.system = system
        self.imageCount = imageCount
        self.storedByteCount = storedByteCount
    }
}

/// The selection of a list of builds. `nil` does not restrict it.
public struct BuildQuery: Hashable, Sendable {
    public var app: String?
    /// An image that the builds contain.
    public var image: ImageID?
    /// The builds to choose from.
    public var builds: [Build]?
    /// Whether ``BuildContents/images`` are read, which takes most of the time.
    public var includesImages = true

    public init(app: String? = nil) { self.app = app }
}

/// The images of a build and the times of its uploads.
public struct BuildContents: Sendable {
    public var build: Build
    /// The commit named by the latest upload that named one, or `nil` if none did.
    public var commit: SourceCommit?
    public var firstUpload: UnixTime
    public var lastUpload: UnixTime
    /// Each image with the debug file used for the app, or `nil` if neither the app nor an upload
    /// for all apps has one.
    public var images: [(image: BuildImage, file: StoredDebugFile?)]

    public init(
        build: Build, commit: SourceCommit? = nil, firstUpload: UnixTime, lastUpload: UnixTime,
        images: [(image: BuildImage, file: StoredDebugFile?)]
    ) {
        self.build = build
        self.commit = commit
        self.firstUpload = firstUpload
        self.lastUpload = lastUpload
        self.images = images
    }
}
