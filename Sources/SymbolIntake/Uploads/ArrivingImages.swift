import CallStacks
import Synchronization

/// The images in uploads that are being processed.
final class ArrivingImages: Sendable {
    private let counts = Mutex<[ImageID: Int]>([:])

    func contains(_ image: ImageID) -> Bool { counts.withLock { $0[image] != nil } }

    /// Calls `body`, and contains `images` until it returns.
    func containing<Result>(
        _ images: Set<ImageID>, _ body: () async throws -> Result
    ) async throws -> Result {
        add(images)
        defer { remove(images) }
        return try await body()
    }

    private func add(_ images: Set<ImageID>) {
        counts.withLock { counts in
            for image in images { counts[image, default: 0] += 1 }
        }
    }

    private func remove(_ images: Set<ImageID>) {
        counts.withLock { counts in
            for image in images {
                guard let count = counts[image] else { continue }
                counts[image] = count > 1 ? count - 1 : nil
            }
        }
    }
}
