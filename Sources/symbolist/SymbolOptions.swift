import ArgumentParser
import FoundationEssentials
import SymbolStores

/// Where the commands look for symbols.
struct SymbolOptions: ParsableArguments {
    @Option(
        name: .customLong("symbols"),
        help: ArgumentHelp(
            """
            A dSYM, debug file, archive, or a folder of them; may be repeated. Default: \
            SYMBOLIST_SYMBOLS (with colons between), else ./Symbols.
            """, valueName: "path"), completion: .file())
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
    /// - Parameters:
    ///   - servers: Which others may be asked.
    ///   - remote: The service that may be asked for the rest.
    ///   - others: Inputs that hold symbols too, which come after the given paths.
    ///   - fillsGaps: As for ``RemoteOptions/symbols(beyond:fillsGaps:)``.
    /// - Throws: Wrong usage, when the service cannot be asked.
    func open(
        _ servers: DebuginfodOptions? = nil, _ remote: RemoteOptions? = nil,
        others: [String] = [], fillsGaps: Bool = false
    ) throws -> SymbolAccess {
        let environment = ProcessInfo.processInfo.environment
        let given = resolvedPaths(environment: environment)
        let paths = given + others.filter { !given.contains($0) }
        let cache = IndexFolder(environment: environment)
        let inventory = SymbolInventory(
            paths: paths, unpackingIn: cache?.archives, rememberedIn: cache?.inventories)
        for problem in inventory.problems { Console.problem(problem.error) }
        let symbols = LocalSymbols(inventory, cachedIn: cache)
        let distributions = servers?.symbols(beyond: symbols, cachedIn: cache)
        return SymbolAccess(
            symbols: symbols, servers: distributions,
            service: try remote?.symbols(beyond: distributions ?? symbols, fillsGaps: fillsGaps),
            isComplete: !inventory.problems.contains(where: \.isNamedByCaller),
            isGiven: !paths.isEmpty)
    }
}
