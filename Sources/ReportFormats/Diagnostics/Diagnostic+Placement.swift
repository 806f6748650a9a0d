import CallStacks

extension CallSite {
    /// Returns the same kind of location at another offset.
    fileprivate func moved(to offset: ImageOffset) -> Self {
        switch self {
        case .programCounter: .programCounter(offset)
        case .returnAddress: .returnAddress(offset)
        case .adjusted: .adjusted(offset)
        }
    }
}

extension Diagnostic {
    /// Converts offsets with another origin to image offsets.
    ///
    /// Without the file of an image, an offset from link address 0 is used as an offset from the
    /// image's start. If it equals the address itself, the image was linked to a fixed address,
    /// which only its file contains. Such a frame gets no offset, because a wrong offset would
    /// result in a wrong name.
    mutating func place(by placementOf: (ImageID) -> ImagePlacement?) {
        guard tree.offsetOrigin != .image else { return }
        for index in tree.frames.indices {
            let frame = tree.frames[index]
            let placement = frame.image.flatMap(placementOf)
            tree.frames[index].site = site(of: frame, placement)
            if let base = placement?.base.rawValue, base > 0 {
                tree.frames[index].loadAddress = frame.address == nil ? nil : RuntimeAddress(base)
            }
        }
        tree.offsetOrigin = .image
    }

    private func site(of frame: CallFrame, _ placement: ImagePlacement?) -> CallSite? {
        guard let site = frame.site else { return nil }
        let value = site.offset.rawValue
        let isFixed = tree.offsetOrigin == .link && frame.address?.rawValue == value
        if let placement {
            // An image that can be loaded anywhere is not loaded at address 0.
            if isFixed, placement.base.rawValue == 0 { return nil }
            // An offset that could be either a file offset or an address is not used.
            if tree.offsetOrigin == .file, placement.base.rawValue > 0,
                placement.contains(LinkAddress(value))
            {
                guard placement.offset(of: value, from: .file) == nil else { return nil }
                return placement.offset(of: value, from: .link).map(site.moved)
            }
            return placement.offset(of: value, from: tree.offsetOrigin).map(site.moved)
        }
        return tree.offsetOrigin == .link && !isFixed ? site : nil
    }
}
