import CallStacks
import HTMLText

/// The links to the pages of a diagnostic's images, each made once for all of its frames.
struct ImageLinks {
    private let context: PageContext
    private let links: [ImageID: LinkTarget]

    init(to images: [ImageStatus], in context: PageContext) {
        self.context = context
        var links: [ImageID: LinkTarget] = [:]
        for image in images.compactMap(\.image) { links[image] = Self.link(to: image, context) }
        self.links = links
    }

    func link(to image: ImageID) -> LinkTarget { links[image] ?? Self.link(to: image, context) }

    private static func link(to image: ImageID, _ context: PageContext) -> LinkTarget {
        context.link("images", image.description)
    }
}
