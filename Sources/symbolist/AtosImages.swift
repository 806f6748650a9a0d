import CallStacks
import DebugFiles
import FoundationEssentials
import SymbolStores
import SymbolUpload
import Symbolication

/// The images that `atos` was given, in their order.
struct AtosImages {
    /// One of them.
    struct Image {
        let id: ImageID
        /// The name of its file.
        let name: String
        /// The link address of its start.
        let base: LinkAddress
        /// `nil` where only a service has it.
        let file: DebugFile?
        let symbols: any SymbolProvider

        /// Whether an offset lies in it. Files that do not say how far they reach hold all.
        func holds(_ offset: ImageOffset) -> Bool {
            guard let extent = file?.extent, extent > 0 else { return true }
            return offset.rawValue < extent
        }
    }

    private(set) var images: [Image] = []
    /// What identities were looked for in; `nil` where only paths were given.
    private(set) var access: SymbolAccess?

    /// - Parameters:
    ///   - objects: Paths, and identities of images.
    ///   - openSymbols: Opens what identities are looked for in.
    /// - Throws: When one cannot be used.
    init(
        _ objects: [String], architecture: String?, openSymbols: () throws -> SymbolAccess
    ) async throws {
        let cache = IndexFolder(environment: ProcessInfo.processInfo.environment)
        for object in objects {
            var path = object
            if !FileManager.default.fileExists(atPath: object), let id = ImageID(object) {
                let opened = try access ?? openSymbols()
                access = opened
                path = opened.symbols.path(of: id) ?? object
                if path == object, let image = await Self.image(id, from: opened) {
                    images.append(image)
                    continue
                }
                if path == object, opened.service != nil, let problem = await opened.problem(of: id)
                {
                    throw await refusal(of: object, architecture, because: problem)
                }
            }
            do throws(SymbolStoreError) {
                images.append(try Self.image(at: path, architecture, cache))
            } catch {
                throw await refusal(of: object, architecture, because: error)
            }
        }
    }

    /// Says that an object cannot be used, as Apple's tool does, and why.
    private func refusal(
        of object: String, _ architecture: String?, because problem: SymbolStoreError
    ) async -> any Error {
        if await access?.endServers() == true { return Outcome.serverRefused }
        let shown = architecture.map { " for architecture \($0)" } ?? ""
        Console.problem("atos cannot load symbols for the file \(object)\(shown).")
        Console.problem(problem)
        return Outcome.someFailed
    }

    /// An image that a service has, perhaps only after a while.
    private static func image(_ id: ImageID, from access: SymbolAccess) async -> Image? {
        guard let service = access.service else { return nil }
        repeat {
            if let image = await service.image(id) {
                return Image(
                    id: id, name: image.name ?? "\(id)", base: image.base, file: nil,
                    symbols: service)
            }
        } while await access.arrival(of: [id])
        return nil
    }

    private static func image(
        at path: String, _ architecture: String?, _ cache: IndexFolder?
    ) throws(SymbolStoreError) -> Image {
        let chosen = try ChosenSlice(path: path, architecture: architecture)
        let file = chosen.file
        if chosen.isGuess {
            Console.problem(
                "\(path): holds several slices, \(file.architecture.name) is used: "
                    + "choose one with -arch")
        }
        if file.kind.isObject {
            throw SymbolStoreError(
                chosen.path, "is from before linking, so its code has no addresses yet",
                next: "give the linked image or its debug file")
        }
        let name = chosen.path.split(separator: "/").last.map(String.init) ?? chosen.path
        guard let id = file.id else {
            let symbols = SoleSymbols(of: file, name: chosen.path)
            return Image(
                id: symbols.image, name: name, base: file.layout.base, file: file, symbols: symbols)
        }
        let inventory = SymbolInventory(paths: [chosen.path])
        return Image(
            id: id, name: name, base: file.layout.base, file: file,
            symbols: LocalSymbols(inventory, cachedIn: cache))
    }
}
