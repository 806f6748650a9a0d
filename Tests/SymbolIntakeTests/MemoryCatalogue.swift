import CallStacks
import DebugFiles
import SymbolIntake
import Synchronization

/// A catalogue that forgets everything when the test ends.
final class MemoryCatalogue: Catalogue {
    private struct State {
        var files: [StoredDebugFile] = []
        var builds: [Build: [BuildImage]] = [:]
        var notedUses: [Set<ImageID>] = []
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
    var notedUses: [Set<ImageID>] { state.withLock { $0.notedUses } }

    /// Changes a row behind the back of everybody.
    func change(_ image: ImageID, _ body: @Sendable (inout StoredDebugFile) -> Void) {
        state.withLock { state in
            for place in state.files.indices where state.files[place].image == image {
                body(&state.files[place])
            }
        }
    }

    func add(_ file: StoredDebugFile) async throws(CatalogueError) -> CatalogueChange {
        if let error { throw error }
        return state.withLock { state in
            let rival = state.files.firstIndex {
                $0.image == file.image && $0.architecture == file.architecture
            }
            guard let rival else {
                state.files.append(file)
                return .added
            }
            let old = state.files[rival]
            if !file.isBetter(than: old) { return .kept(old) }
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

    func missing(among images: [ImageID]) async throws(CatalogueError) -> [ImageID] {
        let files = files
        return images.filter { image in
            !files.contains { $0.image == image && $0.isSufficient }
        }
    }

    func debugFiles(_ query: DebugFileQuery) async throws(CatalogueError) -> [StoredDebugFile] {
        Array(files.prefix(query.limit))
    }

    func remove(_ image: ImageID) async throws(CatalogueError) -> [StoredDebugFile] {
        state.withLock { state in
            let removed = state.files.filter { $0.image == image }
            state.files.removeAll { $0.image == image }
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
        state.withLock { state in
            guard let images = state.builds.removeValue(forKey: build) else { return nil }
            let others = Set(state.builds.values.flatMap { $0.map(\.image) })
            let gone = Set(images.map(\.image)).subtracting(others)
            let removed = state.files.filter { gone.contains($0.image) }
            state.files.removeAll { gone.contains($0.image) }
            return removed
        }
    }

    func imagesOfBuilds() async throws(CatalogueError) -> Set<ImageID> {
        state.withLock { Set($0.builds.values.flatMap { $0.map(\.image) }) }
    }

    func isWanted(blob: String) async throws(CatalogueError) -> Bool {
        files.contains { $0.blob == blob }
    }

    func markUsed(_ images: Set<ImageID>, at now: UnixTime) async throws(CatalogueError) {
        state.withLock { state in
            state.notedUses.append(images)
            for place in state.files.indices where images.contains(state.files[place].image) {
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
