/// The images that a diagnostic wants, in its order, as stored with it.
package struct WantedImageList {
    package struct Item {
        /// The number of a missing image.
        package var image: Int64
        package var frameCount: Int

        package init(image: Int64, frameCount: Int) {
            self.image = image
            self.frameCount = frameCount
        }
    }

    package var items: [Item]

    package init(_ items: [Item] = []) { self.items = items }

    /// Returns the images that are not in another list.
    package func without(_ other: Self) -> Self {
        Self(items.filter { !other.contains($0.image) })
    }

    package func contains(_ image: Int64) -> Bool { items.contains { $0.image == image } }
}
