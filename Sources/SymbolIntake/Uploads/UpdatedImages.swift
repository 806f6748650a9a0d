public import CallStacks
import Synchronization

/// An image with a newly stored debug file, and the owner of the file.
public struct UpdatedImage: Hashable, Sendable {
    public var image: ImageID
    public var owner: SymbolOwner
    /// Whether it is an Apple system image.
    public var isOfSystem: Bool
    /// Whether the file is ``StoredDebugFile/isSufficient``, so that no better one is needed.
    public var isSufficient: Bool

    public init(
        _ image: ImageID, of owner: SymbolOwner, isOfSystem: Bool = false, isSufficient: Bool = true
    ) {
        self.image = image
        self.owner = owner
        self.isOfSystem = isOfSystem
        self.isSufficient = isSufficient
    }

    /// - Parameter file: The stored file.
    public init(_ file: StoredDebugFile) {
        self.init(
            file.image, of: file.owner, isOfSystem: file.isOfSystem,
            isSufficient: file.isSufficient)
    }
}

/// Collects the images whose debug files one upload added or replaced.
final class UpdatedImages: Sendable {
    private struct State {
        var arrived: [UpdatedImage] = []
        /// Images whose stored file is now one of this upload's, whether it is new or was already
        /// stored.
        var settled: Set<ImageID> = []
    }

    private let state = Mutex(State())

    var all: [UpdatedImage] { state.withLock(\.arrived) }

    func add(_ image: UpdatedImage) { state.withLock { $0.arrived.append(image) } }

    func settle(_ image: ImageID) { state.withLock { _ = $0.settled.insert(image) } }

    func isSettled(_ image: ImageID) -> Bool { state.withLock { $0.settled.contains(image) } }
}
