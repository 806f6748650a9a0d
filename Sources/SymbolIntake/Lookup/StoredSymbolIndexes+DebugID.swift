public import CallStacks

extension StoredSymbolIndexes {
    /// The maximum number of images that are compared with a debug ID. More than a few can start
    /// with its bytes only if it is padded.
    private static let candidateLimit = 64

    /// Returns the stored image with a debug ID, or `nil` if the access includes none.
    ///
    /// A build ID is longer than a debug ID, so it is found by its first bytes.
    public func image(
        with id: DebugID, for access: DebugFileAccess
    ) async throws -> ImageID? {
        for prefix in id.imagePrefixes where !prefix.isEmpty {
            let images = try await storage.catalogue.images(
                startingWith: prefix, limit: Self.candidateLimit)
            for image in images where id.matches(image) {
                if await contains(image, for: access) { return image }
            }
        }
        return nil
    }

    /// Whether the access includes a file of an image.
    public func contains(_ image: ImageID, for access: DebugFileAccess) async -> Bool {
        access.choice(among: await files(of: image) ?? []) != nil
    }
}
