import ObjectStorage
import Synchronization

/// An in-memory cache of the archive objects that were read last.
final class RecentObjects: Sendable {
    /// The object that was used last is at the end.
    private let objects = Mutex<[(key: ObjectKey, bytes: [UInt8])]>([])

    static let countLimit = 4

    func bytes(of key: ObjectKey) -> [UInt8]? {
        objects.withLock { objects in
            guard let index = objects.firstIndex(where: { $0.key == key }) else { return nil }
            objects.append(objects.remove(at: index))
            return objects.last?.bytes
        }
    }

    func add(_ bytes: [UInt8], of key: ObjectKey) {
        objects.withLock { objects in
            objects.removeAll { $0.key == key }
            objects.append((key, bytes))
            if objects.count > Self.countLimit { objects.removeFirst() }
        }
    }
}
