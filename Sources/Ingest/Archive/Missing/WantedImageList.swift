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
        let known = other.images
        return Self(items.filter { !known.contains($0.image) })
    }

    /// The numbers of the images.
    package var images: Set<Int64> { Set(items.map(\.image)) }
}
