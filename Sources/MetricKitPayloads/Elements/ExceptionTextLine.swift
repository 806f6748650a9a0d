import CallStacks

/// One line of an ``ExceptionText``.
struct ExceptionTextLine: Hashable {
    /// The name of the image, or `nil` if the line is in another format.
    private(set) var imageName: String?
    private(set) var address: UInt64?
    /// The origin of ``distance``: a UUID, the image's own name, its load address, or a symbol.
    /// Without a distance, all text after the address, or the whole line if it is in another format.
    private(set) var origin: String
    private(set) var distance: UInt64?
    /// Whether it begins with a frame number.
    let isNumbered: Bool

    /// Parses from both ends, because image and symbol names contain spaces, brackets and signs.
    ///
    /// - Returns: `nil` for a blank line.
    init?(_ line: ArraySlice<UInt8>) {
        let words = String(decoding: line, as: UTF8.self)
            .split { $0 == " " || $0 == "\t" || $0 == "\r" }
        guard !words.isEmpty else { return nil }
        origin = words.joined(separator: " ")
        isNumbered = Int(words[0]) != nil
        guard words.count >= 4, isNumbered,
            let addressIndex = words.dropFirst(2).firstIndex(where: { $0.hasPrefix("0x") }),
            addressIndex < words.count - 1,
            let address = UInt64(words[addressIndex].dropFirst(2), radix: 16)
        else { return }
        imageName = words[1..<addressIndex].joined(separator: " ")
        self.address = address
        var rest = words[(addressIndex + 1)...]
        if rest.count >= 3, rest.dropLast().last == "+", let distance = UInt64(words.last ?? "") {
            self.distance = distance
            rest.removeLast(2)
        }
        origin = rest.joined(separator: " ")
    }

    /// Whether it introduces other lines, such as `*** First throw call stack:`.
    var isHeading: Bool { imageName == nil && origin.hasSuffix(":") }

    /// Whether a heading is one of a crash report, such as `Thread 0 Crashed:`.
    var isOfReport: Bool { origin.hasPrefix("Thread ") || origin == "Binary Images:" }

    /// Whether the line is a parenthesis around a stack.
    var isParenthesis: Bool { origin == "(" || origin == ")" }

    /// Whether the distance is an offset in the image that the line names.
    var isOffsetInNamedImage: Bool { distance != nil && origin == imageName }

    /// The image that the offset is in, if the line has its UUID.
    var imageOfOffset: ImageID? {
        guard distance != nil, origin.utf8.count == 36, let image = ImageID(origin),
            image.hasUUIDLength
        else { return nil }
        return image
    }

    /// Whether the origin is a symbol, or other text in its place.
    var isSymbol: Bool {
        !isOffsetInNamedImage && imageOfOffset == nil && !(distance != nil && isLoadAddress)
    }

    private var isLoadAddress: Bool {
        origin.hasPrefix("0x") && UInt64(origin.dropFirst(2), radix: 16) != nil
    }

    /// The load address of the image that the distance is an offset in, or `nil` if it is not one.
    var loadAddress: UInt64? {
        guard !isSymbol, let address, let distance, distance < OffsetDecoder.implausible,
            distance <= address
        else { return nil }
        return address - distance
    }

    /// The function that the line names.
    var function: ReportedFunction? {
        isSymbol ? ReportedFunction(name: origin, distance: distance) : nil
    }

    func frame(parent: Int?, in loaded: LoadedImages) -> CallFrame {
        let place = loaded.place(of: self)
        let offset = place?.offset ?? (isSymbol ? nil : distance)
        let site = offset.flatMap { $0 < OffsetDecoder.implausible ? ImageOffset($0) : nil }
        return CallFrame(
            image: place?.image, imageName: imageName, site: site.map { .returnAddress($0) },
            address: address.map { RuntimeAddress($0) },
            loadAddress: place?.load.map { RuntimeAddress($0) },
            parent: parent, remarks: place == nil && imageName != nil ? [.noUUID] : [])
    }
}
