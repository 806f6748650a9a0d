import CallStacks
import DebugFiles
import SymbolIntake
import Synchronization

/// A catalogue that forgets everything when the test ends.
final class MemoryCatalogue: Catalogue {
    private struct State {
        var files: [StoredDebugFile] = []
        var builds: [Build: [BuildImage]] = [:]
        var notedUses: [Set<DebugFileKey>] = []
        var error: CatalogueError?
    }

    private let state = Mutex(State())

    /// What every write fails with from now on; `nil` for nothing.
    var error: CatalogueError? {
        get { state.withLock { $0.error } }
        set { state.withLock { $0.error = newValue } }
    }

    var files: [StoredDebugFile] { state.withLock { $0.files } }

    /// What was noted, call by call.
    var notedUses: [Set<DebugFileKey>] { state.withLock { $0.notedUses } }

    /// Changes a row behind the back of everybody.
    func change(_ image: ImageID, _ body: @Sendable (inout StoredDebugFile) -> Void) {
        state.withLock { state in
            for place in state.files.indices where state.files[place].image == image {
                body(&state.files[place])
            }
        }
    }

    func add(
        _ file: StoredDebugFile, replaces: Bool
    ) async throws(CatalogueError) -> CatalogueChange {
        if let error { throw error }
        return state.withLock { state in
            let rival = state.files.firstIndex {
                $0.image == file.image && $0.architecture == file.architecture
                    && $0.owner == file.owner
            }
            guard let rival else {
                state.files.append(file)
                return .added
            }
            let old = state.files[rival]
            if !replaces, !file.isBetter(than: old) { return .kept(old) }
            state.files[rival] = file
            return .replaced(old)
        }
    }

    func add(
        _ images: [BuildImage], to build: Build, at now: UnixTime
    ) async throws(CatalogueError) {
        if let error { throw error }
        state.withLock { $0.builds[build, default: []] += images }
    }

    func debugFiles(of image: ImageID) async throws(CatalogueError) -> [StoredDebugFile] {
        files.filter { $0.image == image }
    }

    func missing(
        among images: [ImageID], for access: SymbolAccess
    ) async throws(CatalogueError) -> [ImageID] {
        let files = files
        return images.filter { image in
            let file = access.choice(among: files.filter { $0.image == image })
            return file?.isSufficient != true
        }
    }

    func debugFiles(_ query: DebugFileQuery) async throws(CatalogueError) -> [StoredDebugFile] {
        Array(files.prefix(query.limit))
    }

    func remove(
        _ image: ImageID, of owner: SymbolOwner?
    ) async throws(CatalogueError) -> [StoredDebugFile] {
        remove { $0.image == image && (owner == nil || $0.owner == owner) }
    }

    func remove(_ file: StoredDebugFile) async throws(CatalogueError) -> Bool {
        !remove { $0.key == file.key && $0.owner == file.owner }.isEmpty
    }

    private func remove(
        where isGone: @Sendable (StoredDebugFile) -> Bool
    ) -> [StoredDebugFile] {
        state.withLock { state in
            let removed = state.files.filter(isGone)
            state.files.removeAll(where: isGone)
            return removed
        }
    }

    func builds(app: String?) async throws(CatalogueError) -> [BuildContents] {
        state.withLock { state in
            state.builds.map { build, images in
                BuildContents(
                    build: build, firstUpload: .init(rawValue: 0), lastUpload: .init(rawValue: 0),
                    images: images.map { image in
                        (image, state.files.first { $0.image == image.image }?.quality)
                    })
            }
        }
    }

    func remove(_ build: Build) async throws(CatalogueError) -> [StoredDebugFile]? {
        let gone: Set<ImageID>? = state.withLock { state in
            guard let images = state.builds.removeValue(forKey: build) else { return nil }
            let others = state.builds.filter { $0.key.app == build.app }
            return Set(images.map(\.image)).subtracting(
                others.values.flatMap { $0.map(\.image) })
        }
        guard let gone else { return nil }
        return remove { gone.contains($0.image) && $0.owner == .app(build.app) }
    }

    func imagesOfBuilds() async throws(CatalogueError) -> [String: Set<ImageID>] {
        state.withLock { state in
            state.builds.reduce(into: [:]) { images, build in
                images[build.key.app, default: []].formUnion(build.value.map(\.image))
            }
        }
    }

    func isWanted(blob: String) async throws(CatalogueError) -> Bool {
        files.contains { $0.blob == blob }
    }

    func markUsed(
        _ files: Set<DebugFileKey>, at now: UnixTime
    ) async throws(CatalogueError) {
        state.withLock { state in
            state.notedUses.append(files)
            for place in state.files.indices where files.contains(state.files[place].key) {
                state.files[place].lastUse = now
            }
        }
    }

    func leastUsed(count: Int) async throws(CatalogueError) -> [StoredDebugFile] {
        let oldestFirst = files.sorted {
            max($0.lastUse, $0.upload) < max($1.lastUse, $1.upload)
        }
        return Array(oldestFirst.prefix(count))
    }

    func storedBytes() async throws(CatalogueError) -> Int64 {
        var sizes: [String: Int64] = [:]
        for file in files { sizes[file.blob] = file.storedByteCount }
        return sizes.values.reduce(0, +)
    }
}
