import CallStacks
import DebugFiles
import SymbolIntake
import Synchronization

/// A catalogue in memory.
final class MemoryCatalogue: Catalogue {
    private struct State {
        var files: [StoredDebugFile] = []
        var builds: [Build: [BuildImage]] = [:]
        var commits: [Build: SourceCommit] = [:]
        var systems: [ImageID: Set<SystemBuild>] = [:]
        var notedUses: [Set<DebugFileKey>] = []
        var refusals: [UploadRefusal] = []
        var sumCount = 0
        var error: StorageError?
        var readError: StorageError?
        /// The images of all changes of symbols.
        var changes: [ImageID] = []

        /// Returns the number of the change.
        mutating func recordChange(of image: ImageID) -> Int64 {
            changes.append(image)
            return Int64(changes.count)
        }
    }

    private let state = Mutex(State())

    /// The error of every write from now on, if any.
    var error: StorageError? {
        get { state.withLock { $0.error } }
        set { state.withLock { $0.error = newValue } }
    }

    /// The error of every reading of an image's files from now on, if any.
    var readError: StorageError? {
        get { state.withLock { $0.readError } }
        set { state.withLock { $0.readError = newValue } }
    }

    var files: [StoredDebugFile] { state.withLock { $0.files } }

    /// The images of all changes of symbols, in order.
    var changes: [ImageID] { state.withLock { $0.changes } }

    /// The arguments of each call that recorded uses.
    var notedUses: [Set<DebugFileKey>] { state.withLock { $0.notedUses } }

    /// Changes a row without notifying any observer.
    func change(_ image: ImageID, _ body: @Sendable (inout StoredDebugFile) -> Void) {
        state.withLock { state in
            for place in state.files.indices where state.files[place].image == image {
                body(&state.files[place])
            }
        }
    }

    func add(
        _ file: StoredDebugFile, replaces: Bool
    ) async throws(StorageError) -> CatalogueChange {
        if let error { throw error }
        return state.withLock { state in
            let rival = state.files.firstIndex {
                $0.image == file.image && $0.architecture == file.architecture
                    && $0.owner == file.owner
            }
            guard let rival else {
                state.files.append(file)
                return .added(number: state.recordChange(of: file.image))
            }
            let old = state.files[rival]
            if !replaces, !file.isBetter(than: old) { return .kept(old) }
            state.files[rival] = file.replacing(old)
            return .replaced(old, number: state.recordChange(of: file.image))
        }
    }

    func keep(
        _ executable: StoredExecutable, beside file: StoredDebugFile
    ) async throws(StorageError) -> Bool {
        if let error { throw error }
        return state.withLock { state in
            guard let place = state.files.firstIndex(of: file), file.executable == nil
            else { return false }
            state.files[place].executable = executable
            return true
        }
    }

    func recordChange(of file: StoredDebugFile) async throws(StorageError) -> Int64 {
        if let error { throw error }
        return state.withLock { $0.recordChange(of: file.image) }
    }

    func lastSymbolChange() async throws(StorageError) -> Int64 { Int64(changes.count) }

    func symbolChanges(
        after number: Int64
    ) async throws(StorageError) -> SymbolChangeList {
        let changes = changes
        return SymbolChangeList(
            images: Set(changes.dropFirst(Int(number))), lastNumber: Int64(changes.count))
    }

    func add(
        _ images: [BuildImage], to build: Build, commit: SourceCommit?, at now: UnixTime
    ) async throws(StorageError) {
        if let error { throw error }
        state.withLock { state in
            state.builds[build, default: []] += images
            if let commit { state.commits[build] = commit }
        }
    }

    func debugFiles(of image: ImageID) async throws(StorageError) -> [StoredDebugFile] {
        if let readError { throw readError }
        return files.filter { $0.image == image }
    }

    func debugFiles(of images: [ImageID]) async throws(StorageError) -> [StoredDebugFile] {
        files.filter { images.contains($0.image) }
    }

    func images(
        startingWith prefix: [UInt8], limit: Int
    ) async throws(StorageError) -> [ImageID] {
        let images = Set(files.map(\.image).filter { $0.bytes.starts(with: prefix) })
        return Array(images.sorted { $0.hex < $1.hex }.prefix(limit))
    }

    func missing(
        among images: [ImageID], for access: DebugFileAccess
    ) async throws(StorageError) -> [ImageID] {
        let files = files
        return images.filter { image in
            let file = access.choice(among: files.filter { $0.image == image })
            return file?.isSufficient != true
        }
    }

    func debugFiles(_ query: DebugFileQuery) async throws(StorageError) -> [StoredDebugFile] {
        Array(files.prefix(query.limit))
    }

    func remove(
        _ image: ImageID, of owner: SymbolOwner?
    ) async throws(StorageError) -> [StoredDebugFile] {
        remove { $0.image == image && (owner == nil || $0.owner == owner) }
    }

    func remove(_ file: StoredDebugFile) async throws(StorageError) -> Bool {
        !remove { $0.key == file.key && $0.owner == file.owner }.isEmpty
    }

    private func remove(
        where isGone: @Sendable (StoredDebugFile) -> Bool
    ) -> [StoredDebugFile] {
        state.withLock { state in
            let removed = state.files.filter(isGone)
            state.files.removeAll(where: isGone)
            for file in removed { _ = state.recordChange(of: file.image) }
            return removed
        }
    }

    func builds(_ query: BuildQuery) async throws(StorageError) -> [BuildContents] {
        state.withLock { state in
            state.builds.map { build, images in
                BuildContents(
                    build: build, commit: state.commits[build], firstUpload: .init(rawValue: 0),
                    lastUpload: .init(rawValue: 0),
                    images: images.map { image in
                        (image, state.files.first { $0.image == image.image })
                    })
            }
        }
    }

    func exclusiveFiles(of build: Build) async throws(StorageError) -> [StoredDebugFile]? {
        state.withLock { state in
            guard let images = state.builds[build] else { return nil }
            let others = state.builds.filter { $0.key.app == build.app && $0.key != build }
            let exclusive = Set(images.map(\.image)).subtracting(
                others.values.flatMap { $0.map(\.image) })
            return state.files.filter {
                exclusive.contains($0.image) && $0.owner == .app(build.app)
            }
        }
    }

    func remove(_ build: Build) async throws(StorageError) -> [StoredDebugFile]? {
        guard let files = try await exclusiveFiles(of: build) else { return nil }
        state.withLock { _ = $0.builds.removeValue(forKey: build) }
        return remove { file in
            files.contains { $0.key == file.key && $0.owner == file.owner }
        }
    }

    func add(
        _ images: [ImageID], ofSystem system: SystemBuild?
    ) async throws(StorageError) {
        guard let system else { return }
        state.withLock { state in
            for image in images { state.systems[image, default: []].insert(system) }
        }
    }

    func systems() async throws(StorageError) -> [StoredSystem] {
        state.withLock { state in
            Set(state.systems.values.joined()).map { system in
                StoredSystem(
                    system: system,
                    imageCount: state.systems.values.count { $0.contains(system) },
                    storedByteCount: 0)
            }
        }
    }

    func removeSystem(build: String) async throws(StorageError) -> [StoredDebugFile]? {
        let gone: Set<ImageID> = state.withLock { state in
            let images = state.systems.filter { $0.value.contains { $0.build == build } }.keys
            for image in images {
                state.systems[image] = state.systems[image]?.filter { $0.build != build }
            }
            return Set(images.filter { state.systems[$0]?.isEmpty == true })
        }
        return gone.isEmpty ? nil : remove { gone.contains($0.image) && $0.isOfSystem }
    }

    func appImages() async throws(StorageError) -> [String: Set<ImageID>] {
        state.withLock { state in
            state.builds.reduce(into: [:]) { images, build in
                images[build.key.app, default: []].formUnion(build.value.map(\.image))
            }
        }
    }

    func isReferenced(blob: String) async throws(StorageError) -> Bool {
        files.contains { [$0.blob, $0.executable?.blob, $0.companions?.blob].contains(blob) }
    }

    func markUsed(
        _ files: Set<DebugFileKey>, at now: UnixTime
    ) async throws(StorageError) {
        state.withLock { state in
            state.notedUses.append(files)
            for place in state.files.indices where files.contains(state.files[place].key) {
                state.files[place].lastUse = now
            }
        }
    }

    func leastRecentlyUsed(count: Int) async throws(StorageError) -> [StoredDebugFile] {
        let oldestFirst = files.sorted {
            max($0.lastUse, $0.upload) < max($1.lastUse, $1.upload)
        }
        return Array(oldestFirst.prefix(count))
    }

    func add(_ refusals: [UploadRefusal]) async throws(StorageError) {
        state.withLock { $0.refusals += refusals }
    }

    func refusals(app: String?) async throws(StorageError) -> [UploadRefusal] {
        state.withLock { $0.refusals.reversed() }
    }

    /// How often the sizes of all blobs were summed.
    var sumCount: Int { state.withLock(\.sumCount) }

    func storedBytes() async throws(StorageError) -> Int64 {
        state.withLock { $0.sumCount += 1 }
        var sizes: [String: Int64] = [:]
        for file in files { sizes[file.blob] = file.storedByteCount }
        return sizes.values.reduce(0, +)
    }
}
