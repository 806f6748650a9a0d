import CallStacks

extension CallFrame {
    /// Creates a frame in a listed image.
    ///
    /// - Parameter name: The image's name at the frame, for images that are listed without one.
    init(
        in image: ListedImage, named name: String? = nil, at site: CallSite?,
        address: RuntimeAddress?
    ) {
        self.init(
            image: image.id, imageName: image.name ?? name, site: site, address: address,
            loadAddress: image.base, remarks: image.id == nil ? [.noUUID] : [])
    }

    /// Creates a frame at an offset that its line of text states, and thus the load address, too.
    ///
    /// - Parameters:
    ///   - name: The image's name at the frame.
    ///   - architecture: The report's architecture, for images that are listed without one.
    init(
        in image: ListedImage, named name: String?, at offset: ImageOffset, address: UInt64,
        isReturnAddress: Bool, on architecture: Architecture?
    ) {
        let isOffset = offset.rawValue < ImageAddressMap.implausibleOffset
        self.init(
            image: image.id, imageName: name,
            site: isOffset
                ? CallSite(
                    offset, in: image, isReturnAddress: isReturnAddress, on: architecture) : nil,
            address: RuntimeAddress(address),
            loadAddress: address >= offset.rawValue
                ? RuntimeAddress(address - offset.rawValue) : nil,
            remarks: image.id == nil ? [.noUUID] : [])
    }
}

extension CallSite {
    /// Classifies an offset in a listed image.
    ///
    /// - Parameter architecture: The report's architecture, for images that are listed without one.
    init(
        _ offset: ImageOffset, in image: ListedImage, isReturnAddress: Bool,
        on architecture: Architecture?
    ) {
        let own = image.architecture.flatMap(Architecture.init(reported:))
        self.init(offset, isReturnAddress: isReturnAddress, on: own ?? architecture)
    }
}
