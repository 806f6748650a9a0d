import ArgumentParser
import Debuginfod
import FoundationEssentials
import SymbolStores

/// Whether servers of debug files are asked too.
struct DebuginfodOptions: ParsableArguments {
    @Flag(
        help: """
            Ask the servers in DEBUGINFOD_URLS for ELF images that are not found; only build ids \
            are sent.
            """)
    var debuginfod = false

    /// - Returns: `nil` where nobody wants it, or no server is known.
    func symbols(beyond local: LocalSymbols, cachedIn cache: IndexFolder?) -> DebuginfodSymbols? {
        guard debuginfod else { return nil }
        let settings = DebuginfodSettings(environment: ProcessInfo.processInfo.environment)
        guard let cache, !settings.urls.isEmpty else {
            Console.problem("DEBUGINFOD_URLS: names no server: set it to one or more addresses")
            return nil
        }
        let client = DebuginfodClient(settings, keepingIn: DebuginfodFolder(beside: cache))
        return DebuginfodSymbols(asking: client, beyond: local, cachedIn: cache)
    }
}
