public import CallStacks
public import DebugFiles
import SymbolIndexes
public import Symbolication

/// Symbols of ELF images installed on this machine: the files at the paths in a report, and the
/// debug files of packages.
///
/// A file is used only if it has the requested identity, whatever its path is. A file without a
/// build ID, as some linkers write it, is used for its own path only.
public actor InstalledSymbolProvider: SymbolProvider {
    /// The folder where distributions install debug files.
    private static let debugFolder = "/usr/lib/debug"

    /// Returns the folders in a variable, separated by colons. The default is the folder of
    /// distributions; the result is `nil` for `none`, which limits lookups to the given files.
    public static func debugFolders(named variable: String?) -> [String]? {
        guard let variable, !variable.isEmpty else { return [debugFolder] }
        return variable == "none" ? nil : variable.split(separator: ":").map(String.init)
    }

    private let given: LocalSymbolProvider
    private let debugFolders: [String]
    private let indexes: IndexFolder?
    private var paths: [ImageID: [String]] = [:]
    /// The identities of the files at paths, or `nil` if there is none.
    private var identities: [String: ImageID?] = [:]
    /// The symbols found by image, or `nil` if there are none.
    private var found: [ImageID: LocalSymbolProvider?] = [:]
    /// The files without a build ID, by the identities that stand for them.
    private var unidentified: [ImageID: SingleFileSymbols] = [:]
    private var notice: IndexingNotice?

    /// - Parameters:
    ///   - given: The symbols that are searched first.
    ///   - debugFolders: The folders where packages install debug files.
    ///   - indexes: The cache of built indexes.
    public init(
        beyond given: LocalSymbolProvider, debugFolders: [String], cachedIn indexes: IndexFolder?
    ) {
        self.given = given
        self.debugFolders = debugFolders
        self.indexes = indexes
    }

    public nonisolated func imageName(of image: ImageID) -> String? {
        given.imageName(of: image)
    }

    /// Whether symbols of any image were found.
    public var isUsed: Bool {
        found.values.contains { $0 != nil } || !unidentified.isEmpty
    }

    /// The names of images whose indexes lack names or inlined calls because of files that were not
    /// read, by the code of the warning.
    public var imagesLackingFiles: [DebugFileWarning.Code: [String]] {
        get async {
            var images = await given.imagesLackingFiles
            for case let symbols? in found.values {
                images.merge(await symbols.imagesLackingFiles) { $0 + $1 }
            }
            return images
        }
    }

    /// The identities that stand for files without a build ID. They are for lookups only.
    public var standIns: Set<ImageID> { Set(unidentified.keys) }

    /// Registers an observer for newly built indexes.
    public func noticeIndexing(_ notice: @escaping IndexingNotice) { self.notice = notice }

    /// Records the path of an image in a report.
    public func add(_ image: ImageID, at path: String) {
        guard paths[image]?.contains(path) != true else { return }
        paths[image, default: []].append(path)
        found[image] = nil
    }

    /// Returns the build ID of the file at a path, or one of ``standIns`` if it has none. Returns
    /// `nil` if there is no such file.
    public func identity(ofFileAt path: String) -> ImageID? {
        if let known = identities[path] { return known }
        let file = Self.file(at: path)
        let id = file.flatMap { $0.id ?? standIn(for: $0, at: path) }
        identities[path] = id
        return id
    }

    private func standIn(for file: DebugFile, at path: String) -> ImageID? {
        guard let id = ImageID(cacheName(of: path) + cacheName(of: "standing in for " + path))
        else { return nil }
        unidentified[id] = SingleFileSymbols(of: file, name: path, standIn: id)
        return id
    }

    public func symbols(for image: ImageID) async -> SymbolSupply {
        if let file = unidentified[image] { return await file.symbols(for: image) }
        let supply = await given.symbols(for: image)
        if supply.hasDebugInformation { return supply }
        guard let symbols = await symbols(of: image) else { return supply }
        let other = await symbols.symbols(for: image)
        // Without debug information in either file, the given one is used.
        if case .missing = supply { return other }
        return other.hasDebugInformation ? other : supply
    }

    public func symbols(replacingDamagedIndexOf image: ImageID) async -> SymbolSupply {
        if let file = unidentified[image] { return await file.symbols(for: image) }
        if case let symbols?? = found[image] {
            return await symbols.symbols(replacingDamagedIndexOf: image)
        }
        return await given.symbols(replacingDamagedIndexOf: image)
    }

    /// Returns where the code of an image is in its file, or `nil` if there is no such file.
    public func placement(of image: ImageID) async -> ImagePlacement? {
        if let file = unidentified[image] { return file.placement }
        let own = await symbols(of: image)?.placement(of: image)
        guard let own, !own.segments.isEmpty else { return given.placement(of: image) ?? own }
        return own
    }

    private func symbols(of image: ImageID) async -> LocalSymbolProvider? {
        if let known = found[image] { return known }
        let files = files(of: image)
        let symbols =
            files.isEmpty
            ? nil : LocalSymbolProvider(SymbolInventory(paths: files), cachedIn: indexes)
        found[image] = symbols
        if let notice { await symbols?.noticeIndexing(notice) }
        return symbols
    }

    /// Returns the files that describe an image: its own, and those of packages, found by the build
    /// id, the path, or the debug link in the file.
    private func files(of image: ImageID) -> [String] {
        let own = (paths[image] ?? []).filter { identity(ofFileAt: $0) == image }
        var candidates = own
        for folder in debugFolders {
            candidates.append(image.buildIDPath(in: folder))
            for path in own {
                candidates += installedDebugFiles(
                    of: image, at: path, link: Self.file(at: path)?.debugFileLink?.fileName,
                    in: folder)
            }
        }
        return candidates.filter { identity(ofFileAt: $0) == image }
    }

    /// Opens a debug file. A path in a report can lead anywhere, so only regular files are opened.
    private static func file(at path: String) -> DebugFile? {
        guard let status = try? FileStatus(of: path), status.kind == .file else { return nil }
        let files = DebugFileSearch([path]).files.first?.contents().files ?? []
        return files.first { $0.kind.isELF }
    }
}
