import ArgumentParser
import FoundationEssentials
import SymbolStores
import Symbolication

/// The paths that are searched for symbols.
struct SymbolOptions: ParsableArguments {
    @Option(
        name: .customLong("symbols"),
        help: ArgumentHelp(
            """
            A debug file, cache, archive or folder; repeatable. Default: SYMBOLIST_SYMBOLS, else \
            ./Symbols.
            """, valueName: "path"), completion: .file())
    var paths: [String] = []

    func validate() throws {
        if paths.contains("") { throw ValidationError("--symbols has an empty path") }
    }

    /// Returns the given paths, or the default ones.
    private func resolvedPaths(environment: [String: String]) -> [String] {
        if !paths.isEmpty { return paths }
        let listed = (environment["SYMBOLIST_SYMBOLS"] ?? "").split(separator: ":").map(String.init)
        if !listed.isEmpty { return listed }
        return FileManager.default.fileExists(atPath: "Symbols") ? ["Symbols"] : []
    }

    /// Finds the debug files, and prints the paths that could not be read.
    ///
    /// - Parameters:
    ///   - servers: The option for debuginfod servers, or `nil` if the command has none.
    ///   - remote: The options for a service, or `nil` if the command has none.
    ///   - others: Inputs with symbols, which are searched after the given paths.
    ///   - findsNearestLine: The argument of ``RemoteOptions/symbols(beyond:findsNearestLine:)``.
    ///   - findsInstalled: Whether to use files at the paths in reports and installed debug files.
    /// - Throws: `ValidationError` if the address or the token of the service is invalid.
    func open(
        servers: DebuginfodOptions? = nil, remote: RemoteOptions? = nil,
        others: [String] = [], findsNearestLine: Bool = false, findsInstalled: Bool = false
    ) throws -> SymbolAccess {
        let environment = ProcessInfo.processInfo.environment
        let given = resolvedPaths(environment: environment)
        let paths = given + others.filter { !given.contains($0) }
        let cache = IndexFolder(environment: environment)
        let folders = InstalledSymbolProvider.debugFolders(
            named: environment["SYMBOLIST_DEBUG_FOLDERS"])
        let inventory = SymbolInventory(
            paths: paths, unpackingIn: cache?.archives, rememberedIn: cache?.inventories,
            system: SystemFolder(environment: environment), debugFolders: folders ?? [])
        for problem in inventory.problems { Console.problem(problem.error) }
        let symbols = LocalSymbolProvider(inventory, cachedIn: cache)
        let installed =
            findsInstalled
            ? folders.map {
                InstalledSymbolProvider(beyond: symbols, debugFolders: $0, cachedIn: cache)
            }
            : nil
        let local: any SymbolProvider = installed ?? symbols
        let distributions = servers?.symbols(beyond: local, cachedIn: cache)
        return SymbolAccess(
            symbols: symbols, installed: installed, servers: distributions,
            service: try remote?.symbols(
                beyond: distributions ?? local, findsNearestLine: findsNearestLine),
            isComplete: !inventory.problems.contains(where: \.isExplicit),
            isGiven: !paths.isEmpty || !inventory.isEmpty)
    }
}
