import ByteReading
public import CallStacks
import DebugFiles
import Glibc
public import SharedCaches

/// A shared cache on disk.
public struct LocatedCache: Sendable {
    /// The path of its main file.
    public let path: String
    public let cache: SharedCache
    /// The architecture of its first readable image. Each image has its own.
    public let architecture: Architecture?
    /// The states of its files, which derived data depends on.
    let sources: [FileStatus]

    /// - Parameter path: Any file of the cache, or a link to one. The main file is expected next to
    ///   it.
    /// - Throws: ``SymbolStoreError`` if the file does not belong to a cache, or its main file is
    ///   missing or cannot be read.
    public init(path: String) throws(SymbolStoreError) {
        guard let target = Self.target(ofLink: path) else {
            try self.init(file: path)
            return
        }
        let linked = Result { () throws(SymbolStoreError) in try Self(file: target) }
        if case .success(let found) = linked, found.problems.isEmpty {
            self = found
            return
        }
        // In a folder of links, the other files may be next to the link only.
        if let given = try? Self(file: path), given.problems.isEmpty, !given.cache.images.isEmpty {
            self = given
        } else {
            self = try linked.get()
        }
    }

    private init(file path: String) throws(SymbolStoreError) {
        let split = path.lastIndex(of: "/")
        let folder = split.map { String(path[...$0]) } ?? ""
        let name = split.map { String(path[path.index(after: $0)...]) } ?? path
        var refusal: SymbolStoreError?
        for main in CacheFileName(name).possibleMainFiles where Self.isCache(folder + main) {
            do throws(SymbolStoreError) {
                // A file with the name of a subcache may itself be a cache.
                let found = try Self(main: main, in: folder)
                if found.mayHave(part: name) {
                    self = found
                    return
                }
            } catch {
                if main == CacheFileName(name).likelyMainFile { refusal = error }
            }
        }
        do throws(SymbolStoreError) { self = try Self(main: name, in: folder) } catch {
            throw refusal ?? error
        }
    }

    /// Returns the absolute path of the file that a link refers to, or `nil` if the path is not a
    /// link.
    private static func target(ofLink path: String) -> String? {
        guard (try? FileStatus(of: path, followingLinks: false))?.kind == .link,
            let target = unsafe realpath(path, nil)
        else { return nil }
        defer { unsafe free(target) }
        return unsafe String(validatingCString: target)
    }

    /// Returns the path of the main file for a subcache or symbols file, or `nil` if its name is
    /// not that of one.
    static func mainFile(ofPart path: String) -> String? {
        let nameStart = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        let main = CacheFileName(String(path[nameStart...])).likelyMainFile
        return main.map { path[..<nameStart] + $0 }
    }

    private init(main: String, in folder: String) throws(SymbolStoreError) {
        path = folder + main
        let bytes = try MappedFile.bytes(of: path)
        do throws(SharedCacheError) {
            cache = try SharedCache(bytes, name: main) { name in
                try? MappedFile.bytes(of: folder + name)
            }
        } catch {
            throw SymbolStoreError(
                path, detail: error.reason.description, suggestion: error.reason.suggestion)
        }
        sources = cache.fileNames.compactMap { try? FileStatus(of: folder + $0) }
        architecture = cache.architecture
    }

    /// Whether a file belongs to a shared cache.
    public static func isCache(_ path: String) -> Bool {
        guard let status = try? FileStatus(of: path), status.kind == .file else { return false }
        return (try? FileSignature(of: path)) == .sharedCache
    }

    /// Whether a file belongs to the cache, or would if it were not damaged or of another cache.
    private func mayHave(part name: String) -> Bool {
        cache.fileNames.contains(name) || cache.problems.contains { $0.text.contains(name) }
    }

    /// Whether two caches have the same main file, perhaps by different paths.
    func isSame(as other: Self) -> Bool {
        if path == other.path { return true }
        guard let source = sources.first else { return false }
        return source == other.sources.first
    }

    /// The paths of its files.
    var filePaths: [String] {
        let folder = path.lastIndex(of: "/").map { path[...$0] } ?? ""
        return cache.fileNames.map { folder + $0 }
    }

    /// The system that the cache belongs to, or `nil` if no folder names its build.
    public var system: SystemBuild? {
        DeviceSupportName(path: path)?
            .system(platform: cache.platformName, architecture: architecture?.name ?? "")
    }

    /// The missing and damaged parts, with the path of the cache.
    public var problems: [SymbolStoreError] {
        cache.problems.map { SymbolStoreError(path, detail: $0.code.rawValue, suggestion: $0.text) }
    }

    /// Returns the path to show for an image: the path of the cache followed by the image's.
    public func displayPath(of image: CachedImage) -> String {
        image.path.hasPrefix("/") ? path + image.path : "\(path)/\(image.path)"
    }
}

extension LocatedCache {
    /// Returns a small Mach-O file with the symbols of an image.
    public func cut(_ image: CachedImage) throws(SymbolStoreError) -> CutFile {
        do throws(SharedCacheError) { return try CutFile(image, of: cache) } catch {
            throw SymbolStoreError(
                displayPath(of: image), detail: error.reason.description,
                suggestion: error.reason.suggestion)
        }
    }

    /// Returns the symbols of an image as a debug file in memory.
    func debugFile(of image: CachedImage) throws(SymbolStoreError) -> DebugFile {
        let cut = try cut(image)
        do throws(DebugFileError) {
            let name = displayPath(of: image)
            // A thin file has one slice, or cannot be read.
            return try DebugFile.slices(of: FileBytes(cut.bytes), name: name).files[0]
        } catch { throw SymbolStoreError(error) }
    }
}
