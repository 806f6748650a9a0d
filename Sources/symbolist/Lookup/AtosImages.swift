import CallStacks
import DebugFiles
import FoundationEssentials
import ServiceClient
import SymbolStores
import Symbolication

/// The images in which `atos` looks up addresses, in the order of the search.
struct AtosImages {
    struct Image {
        let id: ImageID
        let name: String
        /// The link address of the image's start.
        let base: LinkAddress
        /// The debug file, or `nil` if only a service or a shared cache has one.
        let file: DebugFile?
        /// The image's size in bytes, or 0 if it is unknown.
        let extent: UInt64
        let symbols: any SymbolProvider

        /// Whether the image contains an offset. A file of unknown extent contains every offset.
        func contains(_ offset: ImageOffset) -> Bool {
            extent == 0 || offset.rawValue < extent
        }
    }

    private(set) var images: [Image] = []
    /// The symbols for the given UUIDs, or `nil` if only paths were given.
    private(set) var access: SymbolAccess?
    /// Whether one of the objects is a whole shared cache, which determines the addresses of its
    /// images.
    private(set) var hasCache = false

    /// - Parameters:
    ///   - objects: Paths and UUIDs of images.
    ///   - openSymbols: Opens the symbols for UUIDs. It is called at most once.
    /// - Throws: An exit code if an object cannot be used, after printing the reason.
    init(
        _ objects: [String], architecture: String?, openSymbols: () throws -> SymbolAccess
    ) async throws {
        let cache = IndexFolder(environment: ProcessInfo.processInfo.environment)
        for object in objects {
            var path = object
            if !FileManager.default.fileExists(atPath: object), let id = ImageID(object) {
                let opened = try access ?? openSymbols()
                access = opened
                if let image = Self.cachedImage(id, from: opened.symbols) {
                    images.append(image)
                    continue
                }
                path = opened.symbols.path(of: id) ?? object
                if path == object, let image = await Self.image(id, from: opened) {
                    images.append(image)
                    continue
                }
                if path == object, opened.service != nil, let problem = await opened.problem(of: id)
                {
                    throw await refusal(of: object, architecture: architecture, because: problem)
                }
            }
            do throws(SymbolStoreError) {
                if let found = try LocatedCache.chosen(at: path, architecture: architecture) {
                    images += Self.images(of: found, cache: cache)
                    hasCache = true
                    continue
                }
                images.append(try Self.image(at: path, architecture: architecture, cache: cache))
            } catch {
                throw await refusal(of: object, architecture: architecture, because: error)
            }
        }
    }

    /// Prints which of the used indexes lack names or inlined calls, because files were not read.
    func reportMissingFiles() async {
        var warnings = MissingFileWarnings()
        for image in images { await warnings.add(image.symbols) }
        warnings.report()
    }

    /// Prints why an object cannot be used, after the message of Apple's tool.
    private func refusal(
        of object: String, architecture: String?, because problem: SymbolStoreError
    ) async -> any Error {
        if await access?.endServers() == true { return Outcome.serverRefused }
        let shown = architecture.map { " for architecture \($0)" } ?? ""
        Console.problem("atos cannot load symbols for the file \(object)\(shown).")
        Console.problem(problem)
        return Outcome.someFailed
    }

    /// Returns the images of a shared cache, after printing what is missing from it.
    private static func images(of found: LocatedCache, cache: IndexFolder?) -> [Image] {
        for problem in found.problems { Console.problem(problem) }
        let inventory = SymbolInventory(paths: [found.path])
        let symbols = LocalSymbolProvider(inventory, cachedIn: cache)
        return inventory.images.compactMap { cachedImage($0, from: symbols) }
            .sorted { $0.base < $1.base }
    }

    private static func cachedImage(_ id: ImageID, from symbols: LocalSymbolProvider) -> Image? {
        guard let extent = symbols.cachedExtent(of: id) else { return nil }
        return Image(
            id: id, name: symbols.name(of: id) ?? "\(id)", base: extent.base, file: nil,
            extent: extent.byteCount, symbols: symbols)
    }

    /// Returns an image of the service, and waits for it if the user requested that.
    private static func image(_ id: ImageID, from access: SymbolAccess) async -> Image? {
        guard let service = access.service else { return nil }
        repeat {
            if let image = await service.image(id) {
                return Image(
                    id: id, name: image.name ?? "\(id)", base: image.base, file: nil, extent: 0,
                    symbols: service)
            }
        } while await access.waitForSymbols(of: [id])
        return nil
    }

    private static func image(
        at path: String, architecture: String?, cache: IndexFolder?
    ) throws(SymbolStoreError) -> Image {
        let chosen = try ChosenSlice(path: path, architecture: architecture)
        let file = chosen.file
        if chosen.isGuess {
            Console.problem(
                "\(path): has several slices, using \(file.architecture.name): "
                    + "choose one with -arch")
        }
        if let error = SymbolStoreError(unlinked: file, name: chosen.path) { throw error }
        let name =
            file.systemImageName ?? chosen.path.split(separator: "/").last.map(String.init)
            ?? chosen.path
        guard let id = file.id else {
            let symbols = SingleFileSymbols(of: file, name: chosen.path)
            return Image(
                id: symbols.image, name: name, base: file.layout.base, file: file,
                extent: file.extent, symbols: symbols)
        }
        let folders = InstalledSymbolProvider.debugFolders(
            named: ProcessInfo.processInfo.environment["SYMBOLIST_DEBUG_FOLDERS"])
        let inventory = SymbolInventory(paths: [chosen.path], debugFolders: folders ?? [])
        return Image(
            id: id, name: name, base: file.layout.base, file: file, extent: file.extent,
            symbols: LocalSymbolProvider(inventory, cachedIn: cache))
    }
}
