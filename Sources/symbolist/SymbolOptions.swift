import ArgumentParser
import Debuginfod
import FoundationEssentials
import SymbolStores
import Symbolication

/// Where the commands look for symbols.
struct SymbolOptions: ParsableArguments {
    @Option(
        name: .customLong("symbols"),
        help: ArgumentHelp(
            """
            A dSYM, a debug file, an archive, or a folder of them at any depth; may be repeated. \
            Default: the folders in SYMBOLIST_SYMBOLS, separated by colons, else ./Symbols.
            """, valueName: "path"))
    var paths: [String] = []

    @Flag(
        help: """
            Ask the servers in DEBUGINFOD_URLS for debug files of ELF images that are not found; \
            build ids are all that is sent.
            """)
    var debuginfod = false

    func validate() throws {
        if paths.contains("") { throw ValidationError("--symbols is given an empty path") }
    }

    /// Whether none of them is given.
    var isUntouched: Bool { paths.isEmpty && !debuginfod }

    /// The given paths, or the default ones.
    private func resolvedPaths(environment: [String: String]) -> [String] {
        if !paths.isEmpty { return paths }
        let listed = (environment["SYMBOLIST_SYMBOLS"] ?? "").split(separator: ":").map(String.init)
        if !listed.isEmpty { return listed }
        return FileManager.default.fileExists(atPath: "Symbols") ? ["Symbols"] : []
    }

    /// Finds the debug files, and says what could not be read.
    func open() -> SymbolAccess {
        let environment = ProcessInfo.processInfo.environment
        let paths = resolvedPaths(environment: environment)
        let cache = IndexFolder(environment: environment)
        let inventory = SymbolInventory(
            paths: paths, unpackingIn: cache?.archives, rememberedIn: cache?.inventories)
        for problem in inventory.problems { Console.problem(problem.error) }
        let symbols = LocalSymbols(inventory, cachedIn: cache)
        return SymbolAccess(
            symbols: symbols, servers: debuginfod ? servers(beyond: symbols, cache) : nil,
            isComplete: !inventory.problems.contains(where: \.isNamedByCaller),
            isGiven: !paths.isEmpty)
    }

    private func servers(
        beyond symbols: LocalSymbols, _ cache: IndexFolder?
    ) -> DebuginfodSymbols? {
        let settings = DebuginfodSettings(environment: ProcessInfo.processInfo.environment)
        guard let cache, !settings.urls.isEmpty else {
            Console.problem("DEBUGINFOD_URLS: names no server: set it to one or more addresses")
            return nil
        }
        let client = DebuginfodClient(settings, keepingIn: DebuginfodFolder(beside: cache))
        return DebuginfodSymbols(asking: client, beyond: symbols, cachedIn: cache)
    }
}

/// The symbols that a command works with.
struct SymbolAccess {
    let symbols: LocalSymbols
    /// The symbols of servers as well, if the user asked for them.
    let servers: DebuginfodSymbols?
    /// Whether every path that the caller named could be used.
    let isComplete: Bool
    /// Whether there was any path to look at.
    let isGiven: Bool

    /// What is asked for symbols.
    var provider: any SymbolProvider { servers ?? symbols }

    var isEmpty: Bool { symbols.inventory.images.isEmpty }

    /// Says what went wrong with servers.
    func reportServers() async {
        for problem in await servers?.problems ?? [] { Console.problem(problem) }
    }

    /// Paths without symbols have been reported one by one.
    func reportIfNoneGiven() {
        guard !isGiven, servers == nil else { return }
        Console.problem("symbols: none given and no ./Symbols here: give a path with --symbols")
    }
}
