extension SymbolicatedDiagnostic {
    /// The images whose symbols are missing or say too little for frames in them, in the order of
    /// ``images``: those of the app, which somebody can supply, and those that come with the system.
    public var wantedImages: (app: [ImageReport], system: [ImageReport]) {
        let own = appImages
        let wanted = images.filter { $0.status != .found && $0.frameCount > 0 }
        return (
            wanted.filter { own.contains(ImageKey($0.image, $0.name)) },
            wanted.filter { !own.contains(ImageKey($0.image, $0.name)) }
        )
    }

    /// By index, because to copy a row costs more than to look at it.
    private var appImages: Set<ImageKey> {
        var images: Set<ImageKey> = []
        var last: ImageKey?
        for row in frames.indices where frames[row].isInApp {
            let image = ImageKey(frames[row].image, frames[row].imageName)
            // Frames of an image mostly follow one another.
            if image != last { images.insert(image) }
            last = image
        }
        return images
    }

    /// The app's physical frames, and how many of them have a function.
    public var appFrameCounts: (total: Int, resolved: Int) {
        let app = frames.lazy.filter { $0.isInApp && !$0.isInlined }
        return (app.count, app.filter(\.status.isResolved).count)
    }
}

/// An image by its identity, or by its name where it has none.
private struct ImageKey: Hashable {
    let image: ImageID?
    let name: String?

    init(_ image: ImageID?, _ name: String?) {
        self.image = image
        self.name = image == nil ? name : nil
    }
}
