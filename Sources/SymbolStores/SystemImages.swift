import ByteReading
public import CallStacks
import DebugFiles
public import SharedCaches

/// An Apple system image, in a shared cache or in a file that was extracted from one.
public struct SystemImage: Sendable {
    public let id: ImageID
    /// The last component of the install path.
    public let name: String
    /// The path to display.
    public let displayPath: String
    /// The architecture of its file, or of the first image of its cache.
    private let usualArchitecture: Architecture
    /// The system that the image is part of, or `nil` if no folder names its build.
    public let system: SystemBuild?
    private let source: Source
    /// The same image in other caches and files, in the order in which they were found.
    fileprivate var copies: [SystemImage] = []

    private enum Source: Sendable {
        case cache(LocatedCache, CachedImage)
        case file(path: String)
    }

    init(_ image: CachedImage, id: ImageID, of found: LocatedCache, architecture: Architecture) {
        self.id = id
        name = String(image.name)
        displayPath = found.displayPath(of: image)
        usualArchitecture = architecture
        system = found.system
        source = .cache(found, image)
    }

    init?(_ file: DebugFile, at path: String, name: String) {
        guard let id = file.id, file.isSystemImage, let installed = file.installName else {
            return nil
        }
        self.id = id
        self.name = String(installed.split(separator: "/").last ?? installed[...])
        displayPath = name
        usualArchitecture = file.architecture
        system = DeviceSupportName(path: path)?
            .system(platform: file.platform, architecture: file.architecture.name)
        source = .file(path: path)
    }

    /// The architecture. It is read from the cache when it is needed, because a cache has thousands of
    /// images.
    public var architecture: Architecture {
        guard case .cache(let found, let image) = source else { return usualArchitecture }
        return found.cache.architecture(of: image) ?? usualArchitecture
    }

    /// Returns its symbols as a small Mach-O file, from the first copy that has all of them, or
    /// else from the one with the most. Lookups make the same choice.
    public func cut() throws(SymbolStoreError) -> CutFile {
        var best = ownCut()
        for copy in copies.prefix(IndexSource.rivalLimit - 1) where Self.rank(best) < .max {
            let rival = copy.ownCut()
            if Self.rank(rival) > Self.rank(best) { best = rival }
        }
        return try best.get()
    }

    private static func rank(_ cut: Result<CutFile, SymbolStoreError>) -> Int {
        switch cut {
        case .success(let cut): cut.isComplete ? .max : cut.symbolCount
        case .failure: -1
        }
    }

    private func ownCut() -> Result<CutFile, SymbolStoreError> {
        do throws(SymbolStoreError) { return .success(try readCut()) } catch {
            return .failure(error)
        }
    }

    private func readCut() throws(SymbolStoreError) -> CutFile {
        switch source {
        case .cache(let found, let image): return try found.cut(image)
        case .file(let path):
            let bytes = try MappedFile.bytes(of: path)
            let files = (try? DebugFile.slices(of: bytes, name: path).files) ?? []
            guard let file = files.first(where: { $0.id == id }) else {
                throw SymbolStoreError(
                    path, detail: "changed while it was read", suggestion: "try again")
            }
            do throws(SharedCacheError) {
                return try CutFile(ofExtracted: file.bytes, name: path)
            } catch {
                throw SymbolStoreError(path, detail: error.reason.description)
            }
        }
    }
}

/// The system images below some paths, each identity once.
public struct SystemImageList: Sendable {
    /// The images, those in caches first. Images of a cache are in the order of their symbols, so
    /// that reading all of them is sequential.
    public private(set) var images: [SystemImage] = []
    /// The shared caches found.
    public let caches: [LocatedCache]
    /// The caches and files that could not be read.
    public private(set) var problems: [SymbolProblem]
    /// The number of images in caches that were skipped because their data is in missing files.
    public private(set) var skippedCount = 0
    private let paths: [String]
    /// The positions in ``images``.
    private var indices: [ImageID: Int] = [:]

    /// - Parameters:
    ///   - paths: Caches, files of caches, and folders of them at any depth.
    ///   - command: The command that takes the folder of an unpacked archive. Caches are read in
    ///     place, so an archive is a problem.
    public init(paths: [String], for command: String = "symbolist system add") {
        self.paths = paths
        let listing = DebugFileListing(
            paths: paths, suggestingForArchives: "unpack it, then run: \(command) FOLDER")
        caches = listing.caches
        problems = listing.problems
        for found in caches { add(found) }
        for entry in listing {
            problems += entry.problems
            for file in entry.files {
                add(SystemImage(file, at: entry.path, name: entry.name))
            }
        }
    }

    /// The error that there is no image, or `nil` if other problems explain that.
    public var nothingFound: SymbolStoreError? {
        guard images.isEmpty, problems.isEmpty else { return nil }
        return SymbolStoreError(
            paths.count == 1 ? paths[0] : "\(paths.count) paths",
            detail: "no image of Apple's systems found",
            suggestion: "use a dyld_shared_cache file or a DeviceSupport folder")
    }

    private mutating func add(_ found: LocatedCache) {
        guard let architecture = found.architecture else {
            let error = SymbolStoreError(
                found.path, detail: "has no readable image", suggestion: "copy the cache again")
            problems.append(SymbolProblem(error, isExplicit: false))
            return
        }
        for image in found.cache.imagesInReadingOrder {
            guard found.cache.maps(image) else {
                skippedCount += 1
                continue
            }
            add(image.id.map { SystemImage(image, id: $0, of: found, architecture: architecture) })
        }
    }

    private mutating func add(_ image: SystemImage?) {
        guard let image else { return }
        if let index = indices[image.id] {
            images[index].copies.append(image)
        } else {
            indices[image.id] = images.count
            images.append(image)
        }
    }

    /// Releases the mapped pages of caches, which are unlikely to be read again.
    public func releasePages() {
        for found in caches { found.cache.releasePages() }
    }
}
