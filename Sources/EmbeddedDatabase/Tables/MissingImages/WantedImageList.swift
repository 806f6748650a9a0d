/// The images that a diagnostic wants, in its order, as stored in its row: `17:4 23:1`, the numbers
/// of missing images and of the frames that wait for each.
///
/// When a debug file arrives, its image's row is removed, and the number is never reused.
struct WantedImageList {
    struct Item {
        /// The number of a missing image.
        var image: Int64
        var frameCount: Int
    }

    var items: [Item]

    init(_ items: [Item] = []) { self.items = items }

    init(text: String) throws(DatabaseProblem) {
        items = []
        for word in text.split(separator: " ") {
            let numbers = word.split(separator: ":")
            guard numbers.count == 2, let image = Int64(numbers[0]),
                let count = Int(numbers[1])
            else {
                throw DatabaseProblem.damage("a diagnostic")
            }
            items.append(Item(image: image, frameCount: count))
        }
    }

    /// Returns the images that are not in another list.
    func without(_ other: Self) -> Self {
        Self(items.filter { !other.contains($0.image) })
    }

    func contains(_ image: Int64) -> Bool { items.contains { $0.image == image } }

    var text: String {
        items.map { "\($0.image):\($0.frameCount)" }.joined(separator: " ")
    }
}
