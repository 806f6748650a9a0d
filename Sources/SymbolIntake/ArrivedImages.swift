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
    private struct State {
        var arrived: [ArrivedImage] = []
        /// Those of which the upload holds the file that is stored now, new or not.
        var settled: Set<ImageID> = []
    }

    private let state = Mutex(State())

    var all: [ArrivedImage] { state.withLock(\.arrived) }

    func add(_ image: ArrivedImage) { state.withLock { $0.arrived.append(image) } }

    func settle(_ image: ImageID) { state.withLock { _ = $0.settled.insert(image) } }

    func isSettled(_ image: ImageID) -> Bool { state.withLock { $0.settled.contains(image) } }
}
