import CallStacks

/// What a thread's table holds, with the rows of one physical frame together.
struct SwiftTable: Sendable {
    enum Content: Hashable, Sendable {
        /// A physical frame, by its index in the tree.
        case frame(Int)
        /// So many frames were left out.
        case omitted(Int)
        /// The backtracer went no further.
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
    ///   - hasAttributes: Whether rows say what kind of address they have. Where they do not, all
    ///     frames but the first have return addresses.
    ///   - frameCount: How many frames the threads before have; those of this one are counted on.
    init(_ thread: SwiftTrace.Thread, hasAttributes: Bool, frameCount: inout Int) {
        rows = thread.rows
        entries = []
        var place = 0
        while place < rows.count {
            let end = Self.endOfFrame(rows, from: place)
            let content: Content
            if rows[place].row.isFrame {
                content = .frame(frameCount)
                frameCount += 1
            } else {
                content = Self.gap(rows, at: place)
            }
            let site: SwiftRow.Site =
                hasAttributes || place == 0 ? rows[end - 1].row.site : .returnAddress
            entries.append(Entry(content: content, rows: place..<end, site: site))
            place = end
        }
    }

    /// Rows of inlined calls and the row of the function that they were inlined into have one
    /// address. Equal addresses without that mark are recursion.
    private static func endOfFrame(_ rows: [SwiftTrace.Row], from start: Int) -> Int {
        var place = start
        let address = rows[start].row.address?.value
        while rows[place].row.isInlined, place + 1 < rows.count, address != nil,
            rows[place + 1].row.address?.value == address
        {
            place += 1
        }
        return place + 1
    }

    /// The number of the row after a gap tells how many frames are missing.
    private static func gap(_ rows: [SwiftTrace.Row], at place: Int) -> Content {
        guard place + 1 < rows.count, let next = rows[place + 1].row.index else {
            return .truncated
        }
        let before = place > 0 ? rows[place - 1].row.index.map { $0 + 1 } : nil
        guard let first = rows[place].row.index ?? before, next > first else { return .omitted(0) }
        return .omitted(next - first)
    }
}

extension SwiftRow.Site {
    /// What is looked up: a resume point is the start of a function and no return address.
    func callSite(_ offset: ImageOffset) -> CallSite {
        self == .returnAddress ? .returnAddress(offset) : .programCounter(offset)
    }
}

/// Finds the images of addresses, and makes frames of them.
struct SwiftFrameMaker {
    let images: [ReportedImage]
    private let table: ImageTable

    init(images: [ReportedImage]) {
        self.images = images
        table = ImageTable(images)
    }

    /// - Parameter imageName: What the report itself calls the image of the frame.
    func frame(
        at address: UInt64, _ site: SwiftRow.Site, imageName: String?, parent: Int?
    ) -> CallFrame {
        let address = RuntimeAddress(address)
        guard let found = table.image(at: address) else {
            return CallFrame(
                image: nil, imageName: imageName, site: nil, address: address, parent: parent)
        }
        let image = images[found.position]
        return CallFrame(
            image: image.id, imageName: image.name ?? imageName,
            site: site.callSite(found.offset), address: address, loadAddress: image.base,
            parent: parent)
    }
}
