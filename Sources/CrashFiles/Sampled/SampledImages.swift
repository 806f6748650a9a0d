import CallStacks

/// The images of a process, in which the frames of its call trees are looked up.
struct SampledImages {
    let images: [ReportedImage]
    private let table: ImageTable
    /// The first image of each name.
    private let names: [String: Int]

    init(_ images: [ReportedImage]) {
        self.images = images
        table = ImageTable(images)
        names = Dictionary(
            images.enumerated().compactMap { position, image in image.name.map { ($0, position) } },
            uniquingKeysWith: { first, _ in first })
    }

    /// Where a frame's code lies.
    struct Place {
        var image: ReportedImage?
        var offset: UInt64?
        /// Whether the offset is one less than the address says: it has been moved back already.
        var isMovedBack = false
    }

    /// By the address, because names in the list may be other ones; by name and offset where no image
    /// holds it.
    func place(of address: UInt64, named name: String?, offset: UInt64?) -> Place {
        if let (position, found) = table.image(at: RuntimeAddress(address)) {
            let isMovedBack = offset.map { found.rawValue > 0 && $0 == found.rawValue - 1 } ?? false
            return Place(
                image: images[position], offset: isMovedBack ? offset : found.rawValue,
                isMovedBack: isMovedBack)
        }
        return Place(image: name.flatMap { names[$0] }.map { images[$0] }, offset: offset)
    }
}
