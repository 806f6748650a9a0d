import CallStacks

/// The position of the image at a load address. Several entries of a report may have the same
/// address: those with an identity count, and of them the one with a frame's name, or else the first.
struct KSCrashImagePosition {
    private let first: Int
    private let isIdentified: Bool
    private var byName: [String: Int] = [:]

    init(of image: ListedImage, at position: Int) {
        first = position
        isIdentified = image.id?.bytes.contains { $0 != 0 } == true
        if let name = image.name { byName[name] = position }
    }

    /// Adds a further entry with the same address.
    mutating func add(_ other: Self) {
        if isIdentified == other.isIdentified {
            byName.merge(other.byName) { first, _ in first }
        } else if other.isIdentified {
            self = other
        }
    }

    func position(ofImageNamed name: String?) -> Int {
        name.flatMap { byName[$0] } ?? first
    }
}
