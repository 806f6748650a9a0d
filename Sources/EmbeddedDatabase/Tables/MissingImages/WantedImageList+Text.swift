import Ingest

/// The form of a list in the row of a diagnostic: `17:4 23:1`, the numbers of missing images and of
/// the frames that wait for each.
///
/// When a debug file arrives, its image's row is removed, and the number is never reused.
extension WantedImageList {
    init(text: String) throws(DatabaseProblem) {
        self.init()
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

    var text: String {
        items.map { "\($0.image):\($0.frameCount)" }.joined(separator: " ")
    }
}
