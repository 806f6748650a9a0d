import ArgumentParser
import FoundationEssentials
import SymbolStores

/// Where the commands look for symbols.
struct SymbolOptions: ParsableArguments {
    @Option(
        name: .customLong("symbols"),
        help: ArgumentHelp(
            """
            A dSYM, a debug file, or a folder of them at any depth; may be repeated. Default: the \
            folders in SYMBOLIST_SYMBOLS, separated by colons, else ./Symbols.
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
    func open() -> SymbolAccess {
        let environment = ProcessInfo.processInfo.environment
        let paths = resolvedPaths(environment: environment)
        let inventory = SymbolInventory(paths: paths)
        for problem in inventory.problems { Console.problem(problem.error) }
        return SymbolAccess(
            symbols: LocalSymbols(inventory, cachedIn: IndexFolder(environment: environment)),
            isComplete: !inventory.problems.contains(where: \.isNamedByCaller),
            isGiven: !paths.isEmpty)
    }
}

/// The symbols that a command works with.
struct SymbolAccess {
    let symbols: LocalSymbols
    /// Whether every path that the caller named could be used.
    let isComplete: Bool
    /// Whether there was any path to look at.
    let isGiven: Bool

    var isEmpty: Bool { symbols.inventory.images.isEmpty }

    /// Paths without symbols have been reported one by one.
    func reportIfNoneGiven() {
        guard !isGiven else { return }
        Console.problem("symbols: none given and no ./Symbols here: give a path with --symbols")
    }
}
