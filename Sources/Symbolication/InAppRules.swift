public import CallStacks

/// Which images are the app's own, and which the system's.
///
/// The first rule that applies decides:
/// 1. the configured names, ``app`` before ``system``;
/// 2. its identity is one of ``images``, which somebody said are in the app's bundle: the app's;
/// 3. where the image was loaded: an address of the kernel or of the shared cache is the system's,
///    whatever the image is called;
/// 4. somebody supplied symbols for it: the app's;
/// 5. its name is one of ``SystemImages``: the system's;
/// 6. neither name nor identity is known, as after a jump to a bad address: not the app's;
/// 7. the app's.
public struct InAppRules: Hashable, Sendable {
    /// Names of images that are the app's. A `*` at either end stands for anything.
    public var app: [String]
    /// Names of images that are not the app's.
    public var system: [String]
    /// Images that are the app's by what is known of its builds.
    public var images: Set<ImageID>

    public init(app: [String] = [], system: [String] = [], images: Set<ImageID> = []) {
        self.app = app
        self.system = system
        self.images = images
    }

    /// - Parameters:
    ///   - name: A path or a bare name.
    ///   - hasSymbols: Whether symbols were found for the image.
    ///   - architecture: By its name, as far as it is known; decides what an address means.
    public func isInApp(
        image: ImageID?, name: String?, loadAddress: RuntimeAddress?, hasSymbols: Bool,
        architecture: String? = nil
    ) -> Bool {
        let name = name.map(Self.lastComponent)
        if let name {
            if app.contains(where: { Self.matches(name, pattern: $0) }) { return true }
            if system.contains(where: { Self.matches(name, pattern: $0) }) { return false }
        }
        if let image, images.contains(image) { return true }
        if let loadAddress, image?.hasUUIDLength ?? true,
            AppleAddressSpace.isSystem(loadAddress, architecture: architecture)
        {
            return false
        }
        if hasSymbols { return true }
        guard let name else { return image != nil }
        return !SystemImages.contains(name)
    }

    private static func lastComponent(_ path: String) -> Substring {
        path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path[path.index(after: $0)...] }
            ?? path[...]
    }

    private static func matches(_ name: Substring, pattern: String) -> Bool {
        var text = pattern[...]
        let isOpenAtStart = text.hasPrefix("*")
        if isOpenAtStart { text = text.dropFirst() }
        let isOpenAtEnd = text.hasSuffix("*")
        if isOpenAtEnd { text = text.dropLast() }
        switch (isOpenAtStart, isOpenAtEnd) {
        case (false, false): return name == text
        case (false, true): return name.hasPrefix(text)
        case (true, false): return name.hasSuffix(text)
        case (true, true): return text.isEmpty || name.contains(text)
        }
    }
}
