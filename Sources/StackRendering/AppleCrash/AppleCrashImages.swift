import CallStacks

/// The images that a report lists, and those that only its frames refer to.
struct AppleCrashImages {
    private var images: [ListedImage]
    private var bases: [ImageID: UInt64] = [:]

    init(of diagnostic: SymbolicatedDiagnostic) {
        images = diagnostic.listedImages.filter { $0.base != nil }
        for image in images {
            if let id = image.id, bases[id] == nil { bases[id] = image.base?.rawValue }
        }
        for row in diagnostic.frames.indices { add(diagnostic.frames[row]) }
    }

    private mutating func add(_ row: SymbolicatedFrame) {
        guard let id = row.image, bases[id] == nil, let base = row.loadAddress else { return }
        bases[id] = base.rawValue
        images.append(ListedImage(id: id, name: row.imageName, base: base))
    }

    func base(of row: SymbolicatedFrame) -> UInt64? {
        row.image.flatMap { bases[$0] } ?? row.loadAddress?.rawValue
    }

    /// Returns the address of a frame, as reported or computed from the load address.
    func address(of row: SymbolicatedFrame) -> UInt64? {
        if let address = row.address { return address.rawValue }
        guard let offset = row.offset, let base = base(of: row) else { return nil }
        let (address, overflow) = base.addingReportingOverflow(offset.rawValue)
        return overflow ? nil : address
    }

    func text(in layout: AppleCrashLayout) -> String {
        guard !images.isEmpty else { return "" }
        return "Binary Images:\n" + images.map { Self.line($0, in: layout) }.joined()
    }

    /// Returns `0x104a2c000 - 0x104a2ffff Orchard arm64 <4c4c…e729> /a/Orchard`, with aligned
    /// numbers.
    private static func line(_ image: ListedImage, in layout: AppleCrashLayout) -> String {
        let base = image.base?.rawValue ?? 0
        let last = image.size.map { hex(base &+ $0 &- 1) } ?? "???"
        let name = shown(image.name ?? "???")
        // An image without a name represents code in no image, and has no path either.
        let path = image.path ?? (image.name == nil ? "???" : nil)
        let described: String
        switch layout {
        case .embedded:
            let kind = image.architecture ?? (image.name == nil ? "unknown-arch" : "")
            described = "\(name) \(shown(kind))".trimmedEnd + "  <\(image.id?.hex ?? zeros)>"
        case .mac:
            let id = image.id?.description.lowercased() ?? hyphenatedZeros
            described = "\(name) (\(shown(image.version ?? "*"))) <\(id)>"
        }
        return column(hex(base)) + " - " + column(last) + " " + described
            + (path.map { " " + shown($0) } ?? "") + "\n"
    }

    private static func column(_ text: String) -> String { blanks(18 - text.utf8.count) + text }

    private static let zeros = String(repeating: "0", count: 32)
    private static let hyphenatedZeros = "00000000-0000-0000-0000-000000000000"
}

extension String {
    fileprivate var trimmedEnd: Substring {
        self[..<(lastIndex { $0 != " " }.map(index(after:)) ?? startIndex)]
    }
}
