public import CallStacks

extension SymbolicatedDiagnostic {
    /// Physical frames, and how many of them have a function. Inlined calls count with their frame.
    public var frameCounts: (total: Int, resolved: Int) {
        var (total, resolved) = (0, 0)
        // By index, because to copy a row costs more than to look at it.
        for index in frames.indices where !frames[index].isInlined {
            total += 1
            if frames[index].status.isResolved { resolved += 1 }
        }
        return (total, resolved)
    }

    /// The images that nobody supplied, as `NAME UUID`.
    public var missingImages: [String] {
        images.filter { $0.status == .missing }.map { label(of: $0.image, $0.name) }
    }

    /// Why frames stayed raw, or `nil` where none did: one reason for each image, then the remarks
    /// about the whole, as in `missing_image: Shop 1F2E… (12 frames); json_truncated`.
    public var rawReasons: String? {
        var groups: [(group: RawGroup, count: Int)] = []
        var positions: [RawGroup: Int] = [:]
        // Frames of one image mostly follow one another.
        var position = 0
        for row in frames.indices where !frames[row].isInlined && !frames[row].status.isResolved {
            let group = RawGroup(frames[row])
            if groups.isEmpty || groups[position].group != group {
                position = positions[group] ?? groups.count
                if position == groups.count { groups.append((group, 0)) }
                positions[group] = position
            }
            groups[position].count += 1
        }
        guard !groups.isEmpty else { return nil }
        let reasons = groups.map { group, count in
            let frames = count == 1 ? "1 frame" : "\(count) frames"
            return "\(group.status.rawValue): \(label(of: group.image, group.name)) (\(frames))"
        }
        return (reasons + remarks.map(\.rawValue)).joined(separator: "; ")
    }

    private func label(of image: ImageID?, _ name: String?) -> String {
        guard let image else { return name ?? "???" }
        return "\(name ?? "???") \(image)"
    }
}

private struct RawGroup: Hashable {
    var status: FrameStatus
    var image: ImageID?
    var name: String?

    /// Images of two names are rare, so a name that stands beside an identity is left out.
    func hash(into hasher: inout Hasher) {
        hasher.combine(image)
        if image == nil { hasher.combine(name) }
    }

    init(_ row: SymbolicatedFrame) {
        status = row.status
        image = row.image
        name = row.imageName
    }
}
