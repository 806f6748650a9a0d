public import CallStacks

/// An image that at least one diagnostic waits for.
public struct AwaitedImage: Hashable, Sendable {
    public var image: ImageID
    /// See ``WantedImage/app``.
    public var app: String?
    /// The number of diagnostics that wait for it.
    public var waitingCount: Int

    public init(image: ImageID, app: String?, waitingCount: Int) {
        self.image = image
        self.app = app
        self.waitingCount = waitingCount
    }
}

extension DiagnosticArchive {
    /// Visits all images that diagnostics wait for, in the order of their bytes.
    ///
    /// - Parameter body: Called with some of the images at a time.
    public func visitAwaitedImages(
        _ body: ([AwaitedImage]) async throws -> Void
    ) async throws {
        let count = 1_000
        var last: AwaitedImage?
        repeat {
            let awaited = try await awaitedImages(after: last, count: count)
            try await body(awaited)
            last = awaited.count < count ? nil : awaited.last
        } while last != nil
    }
}
