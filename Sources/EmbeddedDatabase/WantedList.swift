/// The images that a diagnostic wants, in its order, as its row has them: `17:4 23:1`, the numbers of
/// missing images and how many frames wait for each.
///
/// An image whose debug file has arrived has no row any more, and its number is never used again.
struct WantedList {
    struct Item {
        /// Of a missing image.
        var image: Int64
        var frameCount: Int
    }

    var items: [Item]

    init(_ items: [Item] = []) { self.items = items }

    init(text: String) throws(DatabaseProblem) {
        items = []
        for word in text.split(separator: " ") {
            let parts = word.split(separator: ":")
            guard parts.count == 2, let image = Int64(parts[0]), let count = Int(parts[1]) else {
                throw DatabaseProblem.damage("a diagnostic")
            }
            items.append(Item(image: image, frameCount: count))
        }
    }

    var text: String {
        items.map { "\($0.image):\($0.frameCount)" }.joined(separator: " ")
    }
}
