import CallStacks
import DebugFiles
import FoundationEssentials
import SymbolStores
import Symbolication

/// The images that `atos` was given, in their order.
struct AtosImages {
    /// One of them.
    struct Image {
        let id: ImageID
        /// The name of its file.
        let name: String
        let file: DebugFile
        let symbols: any SymbolProvider

        /// Whether an offset lies in it. Files that do not say how far they reach hold all.
        func holds(_ offset: ImageOffset) -> Bool {
            file.extent == 0 || offset.rawValue < file.extent
        }
    }

    private(set) var images: [Image] = []

    /// - Parameters:
    ///   - objects: Paths, and identities of images.
    ///   - openSymbols: Opens what identities are looked for in.
    /// - Throws: When one cannot be used.
    init(
        _ objects: [String], architecture: String?, openSymbols: () -> SymbolAccess
    ) throws {
        let cache = IndexFolder(environment: ProcessInfo.processInfo.environment)
        var access: SymbolAccess?
        for object in objects {
            var path = object
            if !FileManager.default.fileExists(atPath: object), let id = ImageID(object) {
                let opened = access ?? openSymbols()
                access = opened
                path = opened.symbols.path(of: id) ?? object
            }
            do throws(SymbolStoreError) {
                images.append(try Self.image(at: path, architecture, cache))
            } catch {
                let shown = architecture.map { " for architecture \($0)" } ?? ""
                Console.problem("atos cannot load symbols for the file \(object)\(shown).")
                Console.problem(error)
                throw Outcome.someFailed
            }
        }
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
            return Image(id: symbols.image, name: name, file: file, symbols: symbols)
        }
        let inventory = SymbolInventory(paths: [chosen.path])
        return Image(
            id: id, name: name, file: file, symbols: LocalSymbols(inventory, cachedIn: cache))
    }
}
