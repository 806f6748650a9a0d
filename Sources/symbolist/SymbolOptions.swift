import ArgumentParser
import Foundation
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

    /// The given paths, or the default ones.
    func resolvedPaths(
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> [String] {
        if !paths.isEmpty { return paths }
        let listed = (environment["SYMBOLIST_SYMBOLS"] ?? "").split(separator: ":").map(String.init)
        if !listed.isEmpty { return listed }
        return FileManager.default.fileExists(atPath: "Symbols") ? ["Symbols"] : []
    }

    /// Finds the debug files, and says what could not be read.
    func open() -> SymbolAccess {
        let inventory = SymbolInventory(paths: resolvedPaths())
        for problem in inventory.problems { Console.problem(problem.error) }
        let folder = IndexFolder(environment: ProcessInfo.processInfo.environment)
        return SymbolAccess(
            symbols: LocalSymbols(inventory, cachedIn: folder),
            isComplete: !inventory.problems.contains(where: \.isNamedByCaller))
    }
}

/// The symbols that a command works with.
struct SymbolAccess {
    let symbols: LocalSymbols
    /// Whether every path that the caller named could be used.
    let isComplete: Bool
}
