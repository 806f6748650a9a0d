import CallStacks
import Debuginfod
import SymbolStores
import SymbolUpload
import Symbolication

/// The symbols that a command works with.
struct SymbolAccess {
    let symbols: LocalSymbols
    /// The symbols of servers as well, if the user asked for them.
    let servers: DebuginfodSymbols?
    /// What a service has beyond all of those, likewise.
    let service: ServerSymbols?
    /// Whether every path that the caller named could be used.
    let isComplete: Bool
    /// Whether there was any path to look at.
    let isGiven: Bool

    /// What is asked for symbols.
    var provider: any SymbolProvider {
        if let service { return service }
        return servers ?? symbols
    }

    var isEmpty: Bool { symbols.inventory.images.isEmpty && service == nil }

    /// What an image is called by its debug file.
    func name(of image: ImageID) async -> String? {
        if let name = symbols.name(of: image) { return name }
        return await service?.image(image)?.name
    }

    /// Whether a service has symbols of an image, and this machine has none.
    func isElsewhere(_ image: ImageID) async -> Bool { await service?.image(image) != nil }

    /// The architectures of images, as far as somebody has their symbols. A service is asked about all
    /// of them together.
    func architectures(of images: [ImageID]) async -> [ImageID: Architecture] {
        let answers = await service?.images(images) ?? [:]
        var architectures: [ImageID: Architecture] = [:]
        for image in images {
            architectures[image] = symbols.architecture(of: image) ?? answers[image]?.architecture
        }
        return architectures
    }

    /// Waits until symbols of some of these images have arrived at the service.
    ///
    /// - Returns: Whether they have.
    func arrival(of images: [ImageID]) async -> Bool {
        guard let service, !images.isEmpty else { return false }
        let work = Console.progress.begin("waiting for symbols of \(images.count) images")
        defer { Console.progress.end(work) }
        return await service.arrival(of: images)
    }

    /// Why the symbols of an image cannot be used; `nil` where they can.
    func problem(of image: ImageID) async -> SymbolStoreError? {
        if await service?.isDamaged(image) == true {
            return SymbolStoreError(
                "image \(image)", "its symbols on the server cannot be read",
                next: "upload them again")
        }
        if let service, await service.failure == nil, symbols.path(of: image) == nil {
            return SymbolStoreError(
                "image \(image)", "neither in the given symbols nor on the server",
                next: "upload its dSYM or debug file")
        }
        return await symbols.problem(of: image)
    }

    /// Ends the connection to the service, and says what went wrong with servers.
    ///
    /// - Returns: Whether the service failed.
    func endServers() async -> Bool {
        for problem in await servers?.problems ?? [] { Console.problem(problem) }
        await service?.close()
        guard let failure = await service?.failure else { return false }
        Console.problem(failure)
        return true
    }

    /// Paths without symbols have been reported one by one.
    func reportIfNoneGiven() {
        guard !isGiven, servers == nil, service == nil else { return }
        Console.problem("symbols: none given and no ./Symbols here: give a path with --symbols")
    }
}
