public import CallStacks

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

extension Catalogue {
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
