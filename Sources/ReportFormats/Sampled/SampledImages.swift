import CallStacks

/// The images of a process, in which the frames of its call trees are looked up.
struct SampledImages {
    let images: [ListedImage]
    private let table: ImageAddressMap
    /// The index of the first image with each name.
    private let names: [String: Int]

    init(_ images: [ListedImage]) {
        self.images = images
        table = ImageAddressMap(images)
        names = Dictionary(
            images.enumerated().compactMap { position, image in image.name.map { ($0, position) } },
            uniquingKeysWith: { first, _ in first })
    }

    /// The offset of a frame's code in an image.
    struct CodeOffset {
        var image: ListedImage?
        var offset: UInt64?
        /// Whether the offset is one less than that of the address, because it was already moved
        /// back.
        var isMovedBack = false
    }

    /// Looks up the address, because the list may use other names, or else the name and the offset.
    func codeOffset(of address: UInt64?, named name: String?, offset: UInt64?) -> CodeOffset {
        if let address, let (position, found) = table.image(at: RuntimeAddress(address)) {
            let isMovedBack = offset.map { found.rawValue > 0 && $0 == found.rawValue - 1 } ?? false
            return CodeOffset(
                image: images[position], offset: isMovedBack ? offset : found.rawValue,
                isMovedBack: isMovedBack)
        }
        return CodeOffset(image: name.flatMap { names[$0] }.map { images[$0] }, offset: offset)
    }
}
