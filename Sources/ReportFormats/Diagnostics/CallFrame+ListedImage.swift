import CallStacks

extension CallFrame {
    /// Creates a frame at an offset in a listed image.
    ///
    /// - Parameters:
    ///   - name: The image's name at the frame.
    ///   - architecture: The report's architecture, for images that are listed without one.
    init(
        in image: ListedImage, named name: String?, at offset: ImageOffset, address: UInt64,
        isReturnAddress: Bool, on architecture: Architecture?
    ) {
        let own = image.architecture.flatMap(Architecture.init(reported:))
        let isOffset = offset.rawValue < ImageAddressMap.implausibleOffset
        self.init(
            image: image.id, imageName: name,
            site: isOffset
                ? CallSite(
                    offset, isReturnAddress: isReturnAddress, on: own ?? architecture) : nil,
            address: RuntimeAddress(address),
            loadAddress: address >= offset.rawValue
                ? RuntimeAddress(address - offset.rawValue) : nil,
            remarks: image.id == nil ? [.noUUID] : [])
    }
}
