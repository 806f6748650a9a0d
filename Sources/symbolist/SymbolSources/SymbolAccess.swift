import CallStacks
import Debuginfod
import ServiceClient
import StackRendering
import SymbolStores
import Symbolication

/// The symbols that a command can use, from all sources.
struct SymbolAccess {
    let symbols: LocalSymbolProvider
    /// Debug files installed on this machine, or `nil` if the command does not use them.
    let installed: InstalledSymbolProvider?
    /// The debuginfod servers, or `nil` if the user did not request them.
    let servers: DebuginfodSymbolProvider?
    /// The service, which is queried last, or `nil` if the user did not request one.
    let service: RemoteSymbolProvider?
    /// Whether every path of the user could be used.
    let isComplete: Bool
    /// Whether a path was searched, or debug files were found.
    let isGiven: Bool

    /// The provider that searches all sources.
    var provider: any SymbolProvider {
        if let service { return service }
        if let servers { return servers }
        if let installed { return installed }
        return symbols
    }

    var isEmpty: Bool { symbols.inventory.isEmpty && service == nil }

    /// Returns the name of an image by its debug file, or `nil` if there is none.
    func name(of image: ImageID) async -> String? {
        if let name = symbols.name(of: image) { return name }
        return await service?.image(image)?.name
    }

    /// Whether only the service, not this machine, has symbols of an image.
    func isElsewhere(_ image: ImageID) async -> Bool { await service?.image(image) != nil }

    /// Returns the architectures of images whose symbols are available. A service receives all
    /// images in one request.
    func architectures(of images: [ImageID]) async -> [ImageID: Architecture] {
        let remote = await service?.images(images) ?? [:]
        var architectures: [ImageID: Architecture] = [:]
        for image in images {
            architectures[image] = symbols.architecture(of: image) ?? remote[image]?.architecture
        }
        return architectures
    }

    /// Returns the positions of the images' code in their files, for files on this machine.
    func placements(of images: [ImageID]) async -> [ImageID: ImagePlacement] {
        var placements: [ImageID: ImagePlacement] = [:]
        for image in images {
            placements[image] =
                await installed?.placement(of: image) ?? symbols.placement(of: image)
        }
        return placements
    }

    /// Waits until the service has symbols of some of these images.
    ///
    /// - Returns: Whether it has, within the time limit.
    func waitForSymbols(of images: [ImageID]) async -> Bool {
        guard let service, !images.isEmpty else { return false }
        let work = Console.progress.begin(
            "waiting for symbols of \(counted(images.count, "image"))")
        defer { Console.progress.end(work) }
        return await service.waitForSymbols(of: images)
    }

    /// Returns why the symbols of an image cannot be used, or `nil` if they can.
    func problem(of image: ImageID) async -> SymbolStoreError? {
        if await service?.isDamaged(image) == true {
            return SymbolStoreError(
                "image \(image)", detail: "its symbols on the server cannot be read",
                suggestion: "upload them again")
        }
        if let service, await service.failure == nil, symbols.path(of: image) == nil {
            return SymbolStoreError(
                "image \(image)", detail: "not in the given symbols or on the server",
                suggestion: "upload its dSYM or debug file")
        }
        return await symbols.problem(of: image)
    }

    /// Prints which of the indexes used on this machine lack names or inlined calls, because files
    /// were not read.
    func reportMissingFiles() async {
        var warnings = MissingFileWarnings()
        await warnings.add(installed ?? symbols)
        warnings.report()
    }

    /// Closes the connection to the service, and prints the problems of all servers.
    ///
    /// - Returns: Whether the service failed.
    func endServers() async -> Bool {
        for problem in await servers?.problems ?? [] { Console.problem(problem) }
        await service?.close()
        guard let failure = await service?.failure else { return false }
        Console.problem(failure)
        return true
    }

    /// Prints that there are no symbols if no path was given. Paths without symbols were already
    /// reported individually.
    func reportIfNoneGiven() async {
        guard !isGiven, servers == nil, service == nil, await installed?.isUsed != true
        else { return }
        Console.problem("symbols: none given, and there is no ./Symbols folder: set --symbols PATH")
    }
}
