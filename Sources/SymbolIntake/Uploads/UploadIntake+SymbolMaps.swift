import SymbolStores

extension UploadIntake {
    /// Stores the symbol maps of an upload, before its debug files are indexed with their names, and
    /// causes the indexes of stored files to be rebuilt with them.
    ///
    /// - Returns: The results for the maps. Their property lists have none.
    func keepSymbolMaps(
        in lines: [ListingLine], of owner: SymbolOwner
    ) async throws -> [IntakeResult] {
        var results: [IntakeResult] = []
        var kept: [SymbolMapFolder.Part] = []
        for case .symbolMap(let map) in lines {
            let reason = try await keep(map, of: owner)
            if reason == nil { kept.append(map.part) }
            if map.part.isMap { results.append(IntakeResult(map.part, refusedBecause: reason)) }
        }
        try await refreshImages(using: kept, of: owner)
        return results
    }

    /// Stores a symbol map, or a property list that refers to one.
    ///
    /// - Returns: Why it was refused, or `nil` if it is stored.
    func keep(_ map: SymbolMapFile, of owner: SymbolOwner) async throws -> String? {
        guard try FileStatus(of: map.path).size <= SymbolMapStore.byteLimit else {
            return "is larger than \(ByteSizeFormat.text(SymbolMapStore.byteLimit))"
        }
        try await storage.symbolMaps.keep(fileAt: map.path, as: map.part, of: owner)
        return nil
    }

    func refreshImages(
        using parts: [SymbolMapFolder.Part], of owner: SymbolOwner
    ) async throws(IntakeError) {
        let maps = storage.symbolMaps.maps(of: owner)
        let images = Set(parts.flatMap { maps.images(using: $0) })
        if !images.isEmpty { try await refresh(Array(images), of: owner) }
    }
}

extension SymbolMapFolder.Part {
    /// The purpose of an uploaded part, for responses.
    static let detail = "a symbol map, used for the names in its dSYM"
}
