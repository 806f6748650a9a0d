import CallStacks

/// The modules named in a report, and their mappings.
struct StackImages {
    /// The maximum number of modules.
    private let limit: Int
    /// The maximum number of mappings. Linux allows as many in one process by default.
    static let mappingsLimit = 1 << 16
    private(set) var images: [ListedImage] = []
    private var positions: [String: Int] = [:]
    /// The images by the last components of their paths. There are several if builds share a name.
    private var named: [String: [Int]] = [:]
    private(set) var isFull = false
    /// The mappings, in the order of the text.
    private var mappings: [MappedPart] = []

    /// The mappings, searchable by address.
    var mappingTable: StackMappingTable { StackMappingTable(mappings) }

    init(limit: Int) { self.limit = limit }

    /// Adds an image that a line lists with its path.
    mutating func add(_ image: ListedImage) {
        guard let path = image.path else { return }
        // Newer versions of systemd list modules without their folders.
        guard path.contains("/") else {
            _ = position(of: path, image.id)
            return
        }
        guard let position = positions[path] else {
            append(image, as: path)
            return
        }
        images[position].id = images[position].id ?? image.id
        images[position].base = images[position].base ?? image.base
    }

    /// Records the mapping of a part of an image. The part at the start of the file determines the
    /// base.
    mutating func add(_ mapping: StackMapping) {
        guard mappings.count < Self.mappingsLimit else {
            isFull = true
            return
        }
        add(ListedImage(id: mapping.id, path: mapping.path))
        guard let position = positions[mapping.path] else { return }
        let range = mapping.range
        mappings.append(
            MappedPart(range: range, fileOffset: mapping.fileOffset, position: position))
        if images[position].base == nil, mapping.fileOffset == 0 {
            images[position].base = RuntimeAddress(range.lowerBound)
        }
        guard let base = images[position].base?.rawValue, range.upperBound > base else { return }
        images[position].size = max(images[position].size ?? 0, range.upperBound - base)
    }

    /// Returns the position of a frame's module, which is added if needed.
    mutating func position(of module: String, _ id: ImageID?) -> Int? {
        if let known = positions[module] {
            if let id, images[known].id != id {
                // Two builds with the same path are two images.
                if images[known].id != nil { return append(named: module, id) }
                images[known].id = id
            }
            return known
        }
        if !module.contains("/"), let known = named[module] {
            guard known.count == 1 else { return nil }
            if let id, images[known[0]].id == nil { images[known[0]].id = id }
            return known[0]
        }
        return append(named: module, id)
    }

    /// Records the load address of offset 0 of a module.
    mutating func locate(_ position: Int, at base: UInt64) {
        if images[position].base == nil { images[position].base = RuntimeAddress(base) }
    }

    private mutating func append(named module: String, _ id: ImageID?) -> Int? {
        append(ListedImage(id: id, path: module.contains("/") ? module : nil), as: module)
    }

    @discardableResult
    private mutating func append(_ image: ListedImage, as module: String) -> Int? {
        guard images.count < limit else {
            isFull = true
            return nil
        }
        var image = image
        let name = String(module.split(separator: "/").last ?? Substring(module))
        image.name = name
        positions[module] = images.count
        named[name, default: []].append(images.count)
        images.append(image)
        return images.count - 1
    }
}
