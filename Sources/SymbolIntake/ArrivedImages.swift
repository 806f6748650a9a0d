import CallStacks
import Synchronization

/// The images whose debug files one upload brought.
final class ArrivedImages: Sendable {
    private let images = Mutex<[ImageID]>([])

    var all: [ImageID] { images.withLock(\.self) }

    func add(_ image: ImageID) { images.withLock { $0.append(image) } }
}
