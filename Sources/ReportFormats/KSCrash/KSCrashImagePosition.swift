import CallStacks

/// The position of the image at a load address in a report's list. Several entries may have the
/// same address. Entries without an identity are ignored if another entry has one; among the rest,
/// the one with the frame's image name is chosen, or else the first.
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
