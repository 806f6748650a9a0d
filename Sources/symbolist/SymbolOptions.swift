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

    func validate() throws {
        if paths.contains("") { throw ValidationError("--symbols is given an empty path") }
    }

    /// The given paths, or the default ones.
    private func resolvedPaths(environment: [String: String]) -> [String] {
        if !paths.isEmpty { return paths }
        let listed = (environment["SYMBOLIST_SYMBOLS"] ?? "").split(separator: ":").map(String.init)
        if !listed.isEmpty { return listed }
        return FileManager.default.fileExists(atPath: "Symbols") ? ["Symbols"] : []
    }

    /// Finds the debug files, and says what could not be read.
    ///
    /// - Parameter servers: Which others may be asked.
    func open(_ servers: DebuginfodOptions? = nil) -> SymbolAccess {
        let environment = ProcessInfo.processInfo.environment
        let paths = resolvedPaths(environment: environment)
        let cache = IndexFolder(environment: environment)
        let inventory = SymbolInventory(
            paths: paths, unpackingIn: cache?.archives, rememberedIn: cache?.inventories)
        for problem in inventory.problems { Console.problem(problem.error) }
        let symbols = LocalSymbols(inventory, cachedIn: cache)
        return SymbolAccess(
            symbols: symbols, servers: servers?.symbols(beyond: symbols, cachedIn: cache),
            isComplete: !inventory.problems.contains(where: \.isNamedByCaller),
            isGiven: !paths.isEmpty)
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
