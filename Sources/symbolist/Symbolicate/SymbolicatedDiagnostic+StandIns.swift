import CallStacks

extension SymbolicatedDiagnostic {
    /// Returns the diagnostic without identities that only stand for files without one.
    func withoutIdentities(_ standIns: Set<ImageID>) -> Self {
        guard !standIns.isEmpty else { return self }
        func real(_ id: ImageID?) -> ImageID? {
            id.flatMap { standIns.contains($0) ? nil : $0 }
        }
        var result = self
        for index in frames.indices { result.frames[index].image = real(frames[index].image) }
        for index in images.indices { result.images[index].image = real(images[index].image) }
        for index in listedImages.indices {
            result.listedImages[index].id = real(listedImages[index].id)
        }
        return result
    }
}
