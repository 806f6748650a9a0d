public import CallStacks

/// Decides which images are the app's own, and which the system's.
///
/// The first rule that applies decides:
/// 1. the configured patterns, ``app`` before ``system``;
/// 2. its identity is one of ``images``, which builds declared to be in the app's bundle: the
///    app's;
/// 3. it is the main executable: the app's;
/// 4. it is a library that was installed as part of Apple's systems, according to its symbols: the
///    system's;
/// 5. its load address on one of Apple's systems: in the kernel or the shared cache it is the
///    system's, whatever its name;
/// 6. its file, by ``ImageLocation``: the system's, or the app's unless its name is that of a
///    library that belongs to a runtime;
/// 7. its name is one of ``SystemImageNames``: the system's, unless the name is a framework's and the
///    image was loaded where Apple's systems have no frameworks;
/// 8. neither name nor identity is known, as after a jump to a bad address: not the app's;
/// 9. the app's.
///
/// If a report has addresses, these decide as the symbols would, so it reads the same whether or not
/// the symbols of the system are available.
public struct InAppRules: Hashable, Sendable {
    /// Patterns for the app's images: names, or paths if the pattern has a slash. A `*` at either
    /// end matches any text.
    public var app: [String]
    /// Patterns for other images, in the same form.
    public var system: [String]
    /// Images known to be the app's from its builds.
    public var images: Set<ImageID>

    public init(app: [String] = [], system: [String] = [], images: Set<ImageID> = []) {
        self.app = app
        self.system = system
        self.images = images
    }

    public func isInApp(_ image: ImageTraits) -> Bool {
        if app.contains(where: { image.matches($0) }) { return true }
        if system.contains(where: { image.matches($0) }) { return false }
        if let id = image.id, images.contains(id) { return true }
        if image.isMainExecutable { return true }
        if image.isInSystemMemory || image.hasSystemSymbols { return false }
        switch image.location {
        case .system: return false
        case .app: return !image.isOfRuntime
        case nil: return image.isInAppByName
        }
    }
}

extension ImageTraits {
    /// Whether a pattern of the rules is that of the image.
    public func matches(_ pattern: String) -> Bool {
        let text = pattern.utf8.contains(UInt8(ascii: "/")) ? path.map { $0[...] } : name
        return text?.matches(pattern) ?? false
    }

    private var mayBeApples: Bool {
        (isOnApplesSystem ?? true) && (id?.hasUUIDLength ?? true)
    }

    fileprivate var isInSystemMemory: Bool {
        guard let loadAddress, mayBeApples else { return false }
        // Linux maps libraries of apps to the addresses that Apple's systems use on x86_64.
        return AppleAddressSpace.isSystem(
            loadAddress, architecture: architecture,
            mayBeOnLinux: id == nil && isOnApplesSystem == nil)
    }

    fileprivate var isOfRuntime: Bool { name.map { SystemImageNames.isRuntime($0) } ?? false }

    fileprivate var isInAppByName: Bool {
        guard let name else { return id != nil }
        guard SystemImageNames.contains(name) else { return true }
        guard let loadAddress, id?.hasUUIDLength == true, SystemImageNames.isFramework(name) else {
            return false
        }
        return AppleAddressSpace.isOfApps(loadAddress, architecture: architecture)
    }
}

extension Substring {
    fileprivate func matches(_ pattern: String) -> Bool {
        var text = pattern[...]
        let isOpenAtStart = text.hasPrefix("*")
        if isOpenAtStart { text = text.dropFirst() }
        let isOpenAtEnd = text.hasSuffix("*")
        if isOpenAtEnd { text = text.dropLast() }
        switch (isOpenAtStart, isOpenAtEnd) {
        case (false, false): return self == text
        case (false, true): return hasPrefix(text)
        case (true, false): return hasSuffix(text)
        case (true, true): return text.isEmpty || contains(text)
        }
    }
}
