import CallStacks

extension LocatedCache {
    /// Returns the shared cache at a path, or `nil` if there is none.
    ///
    /// - Parameters:
    ///   - path: Any file of a cache, or a folder that contains one.
    ///   - architecture: The architecture's name, or `nil` for any. `arm64` also selects the only
    ///     cache if it is arm64e.
    /// - Throws: ``SymbolStoreError`` if a file of a cache cannot be read, or if the architecture
    ///   does not select exactly one cache.
    public static func chosen(
        at path: String, architecture: String?
    ) throws(SymbolStoreError) -> Self? {
        if isCache(path) {
            return try sole(of: [Self(path: path)], in: path, architecture: architecture)
        }
        guard (try? FileStatus(of: path))?.kind == .folder else { return nil }
        let caches = DebugFileListing(paths: [path]).caches
        return caches.isEmpty ? nil : try sole(of: caches, in: path, architecture: architecture)
    }

    private static func sole(
        of caches: [Self], in path: String, architecture: String?
    ) throws(SymbolStoreError) -> Self {
        let matching = architecture.map { caches.matching($0) } ?? caches
        guard let first = matching.first else {
            let present = Set(caches.map { $0.architecture?.name ?? "unknown" }).sorted()
            throw SymbolStoreError(
                path,
                detail: "no shared cache for '\(architecture ?? "")' "
                    + "(caches: \(present.joined(separator: ", ")))",
                suggestion: "select another with --arch")
        }
        guard matching.count == 1 else {
            throw SymbolStoreError(
                path, detail: "contains \(matching.count) shared caches",
                suggestion: "use one of them, such as '\(first.path)', or select one with --arch")
        }
        return first
    }
}

extension [LocatedCache] {
    fileprivate func matching(_ architecture: String) -> Self {
        let exact = filter { $0.architecture?.name == architecture }
        guard exact.isEmpty, architecture == Architecture.arm64.name else { return exact }
        return filter { $0.architecture == .arm64e }
    }
}
