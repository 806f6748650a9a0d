extension SymbolicatedDiagnostic {
    /// The images that lack symbols for all or some of their frames, in the order of ``images``:
    /// those of the app, whose symbols can be uploaded, and those of the system.
    public var imagesLackingSymbols: (app: [ImageStatus], system: [ImageStatus]) {
        let own = appImages
        var (app, system): ([ImageStatus], [ImageStatus]) = ([], [])
        system.reserveCapacity(images.count)
        for image in images where image.status != .found && image.frameCount > 0 {
            if own.contains(ImageKey(image.image, name: image.name)) {
                app.append(image)
            } else {
                system.append(image)
            }
        }
        return (app, system)
    }

    /// The identities of the images of app frames, in the order of ``images``.
    public var appImageIDs: [ImageID] {
        let own = appImages
        return images.compactMap { image in
            own.contains(ImageKey(image.image, name: image.name)) ? image.image : nil
        }
    }

    /// Reads frames by index, because copying a frame is more expensive.
    private var appImages: Set<ImageKey> {
        var images = Set<ImageKey>(minimumCapacity: 4)
        var last: ImageKey?
        for row in frames.indices where frames[row].isInApp {
            let image = ImageKey(frames[row].image, name: frames[row].imageName)
            // Consecutive frames are usually in the same image.
            if image != last { images.insert(image) }
            last = image
        }
        return images
    }

    /// The number of the app's physical frames, and how many of them have a function.
    public var appFrameCounts: (total: Int, resolved: Int) {
        var counts = (total: 0, resolved: 0)
        for row in frames.indices where frames[row].isInApp && !frames[row].isInlined {
            counts.total += 1
            if frames[row].status.isResolved { counts.resolved += 1 }
        }
        return counts
    }
}

/// An image by its identity, or by its name if it has no identity.
private struct ImageKey: Hashable {
    let image: ImageID?
    let name: String?

    init(_ image: ImageID?, name: String?) {
        self.image = image
        self.name = image == nil ? name : nil
    }
}
