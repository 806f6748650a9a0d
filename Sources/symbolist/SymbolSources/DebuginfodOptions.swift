import ArgumentParser
import Debuginfod
import FoundationEssentials
import SymbolStores
import Symbolication

/// The option for additional lookups in debuginfod servers.
struct DebuginfodOptions: ParsableArguments {
    @Flag(
        help: """
            Ask the servers in DEBUGINFOD_URLS for ELF images that are not found locally; sends \
            only build IDs.
            """)
    var debuginfod = false

    /// - Returns: The servers' symbols, or `nil` if the option is not set or no server is
    ///   configured.
    func symbols(
        beyond local: any SymbolProvider, cachedIn cache: IndexFolder?
    ) -> DebuginfodSymbolProvider? {
        guard debuginfod else { return nil }
        let settings = DebuginfodSettings(environment: ProcessInfo.processInfo.environment)
        guard let cache, !settings.urls.isEmpty else {
            Console.problem("DEBUGINFOD_URLS: no server configured: set it to one or more URLs")
            return nil
        }
        let client = DebuginfodClient(settings, keepingIn: DebuginfodCache(beside: cache))
        return DebuginfodSymbolProvider(asking: client, beyond: local, cachedIn: cache)
    }
}
