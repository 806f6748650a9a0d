import CallStacks

/// The table of a thread, with the rows of each physical frame grouped.
struct SwiftTable: Sendable {
    enum Content: Hashable, Sendable {
        /// A physical frame, by its index in the tree.
        case frame(Int)
        /// The number of frames omitted.
        case omitted(Int)
        /// The end of the stack as far as the backtracer read it.
        case truncated
    }

    struct Entry: Sendable {
        var content: Content
        var rows: Range<Int>
        var site: SwiftRow.Site
    }

    var rows: [SwiftTrace.Row]
    var entries: [Entry]

    /// - Parameters:
    ///   - hasAttributes: Whether rows state the kind of their address. Otherwise all frames but
    ///     the first have return addresses.
    ///   - frameCount: The number of frames in earlier threads, to which those of this one are
    ///     added.
    init(_ thread: SwiftTrace.Thread, hasAttributes: Bool, frameCount: inout Int) {
        rows = thread.rows
        entries = []
        var index = 0
        while index < rows.count {
            let end = Self.endOfFrame(rows, from: index)
            let content: Content
            if rows[index].row.isFrame {
                content = .frame(frameCount)
                frameCount += 1
            } else {
                content = Self.gap(rows, at: index)
            }
            let site: SwiftRow.Site =
                hasAttributes || index == 0 ? rows[end - 1].row.site : .returnAddress
            entries.append(Entry(content: content, rows: index..<end, site: site))
            index = end
        }
    }

    /// Returns the end of the rows of one physical frame. Rows of inlined calls have the address of
    /// the function that they were inlined into. Rows with equal addresses that are not marked as
    /// inlined are recursive calls.
    private static func endOfFrame(_ rows: [SwiftTrace.Row], from start: Int) -> Int {
        var index = start
        let address = rows[start].row.address?.value
        while rows[index].row.isInlined, index + 1 < rows.count, address != nil,
            rows[index + 1].row.address?.value == address
        {
            index += 1
        }
        return index + 1
    }

    /// Returns the number of frames omitted in a gap, from the number of the row after it.
    private static func gap(_ rows: [SwiftTrace.Row], at index: Int) -> Content {
        guard index + 1 < rows.count, let next = rows[index + 1].row.index else {
            return .truncated
        }
        let before = index > 0 ? rows[index - 1].row.index.map { $0 + 1 } : nil
        guard let first = rows[index].row.index ?? before, next > first else { return .omitted(0) }
        return .omitted(next - first)
    }
}

extension SwiftRow.Site {
    /// Returns the call site to look up. A resume point is a function's start, not a return
    /// address.
    func callSite(_ offset: ImageOffset) -> CallSite {
        self == .returnAddress ? .returnAddress(offset) : .programCounter(offset)
    }
}

/// Assigns addresses to images, and builds frames for them.
struct SwiftFrameBuilder {
    let images: [ListedImage]
    private let table: ImageAddressMap

    init(images: [ListedImage]) {
        self.images = images
        table = ImageAddressMap(images)
    }

    /// - Parameter imageName: The name of the frame's image in the report.
    func frame(
        at address: UInt64, _ site: SwiftRow.Site, imageName: String?, parent: Int?
    ) -> CallFrame {
        let address = RuntimeAddress(address)
        guard let found = table.image(at: address) else {
            return CallFrame(
                image: nil, imageName: imageName, site: nil, address: address, parent: parent)
        }
        var frame = CallFrame(
            in: images[found.position], named: imageName, at: site.callSite(found.offset),
            address: address)
        frame.parent = parent
        return frame
    }
}
