public import CallStacks
import Synchronization

/// An image of which a debug file arrived, with whom that belongs to.
public struct ArrivedImage: Hashable, Sendable {
    public var image: ImageID
    public var owner: SymbolOwner

    public init(_ image: ImageID, of owner: SymbolOwner) {
        self.image = image
        self.owner = owner
    }
}

/// The images whose debug files one upload brought.
final class ArrivedImages: Sendable {
    private let images = Mutex<[ArrivedImage]>([])

    var all: [ArrivedImage] { images.withLock(\.self) }

    func add(_ image: ArrivedImage) { images.withLock { $0.append(image) } }
}
