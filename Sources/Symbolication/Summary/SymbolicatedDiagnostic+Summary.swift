public import CallStacks

extension SymbolicatedDiagnostic {
    /// The numbers of physical frames and of those with a function. Inlined calls are not counted.
    public var frameCounts: (total: Int, resolved: Int) {
        var (total, resolved) = (0, 0)
        // Reads frames by index, because copying a frame costs more.
        for index in frames.indices where !frames[index].isInlined {
            total += 1
            if frames[index].status.isResolved { resolved += 1 }
        }
        return (total, resolved)
    }

    /// The images without symbols, as `NAME UUID`.
    public var missingImages: [String] {
        images.filter { $0.status == .missing }.map { label(of: $0.image, named: $0.name) }
    }

    /// The reasons why frames stayed raw, or `nil` if none did: one per image, then the remarks
    /// about the diagnostic, as in `missing_image: Shop 1F2E… (12 frames); json_truncated`.
    public var rawReasons: String? {
        var groups: [(group: RawGroup, count: Int)] = []
        var positions: [RawGroup: Int] = [:]
        // Consecutive frames are usually in the same image.
        var position = 0
        for row in frames.indices where !frames[row].isInlined && !frames[row].status.isResolved {
            if groups.isEmpty || !groups[position].group.contains(frames[row]) {
                let group = RawGroup(frames[row])
                position = positions[group] ?? groups.count
                if position == groups.count {
                    groups.append((group, 0))
                    positions[group] = position
                }
            }
            groups[position].count += 1
        }
        guard !groups.isEmpty else { return nil }
        let reasons = groups.map { group, count in
            let frames = count == 1 ? "1 frame" : "\(count) frames"
            return
                "\(group.status.rawValue): \(label(of: group.image, named: group.name)) (\(frames))"
        }
        return (reasons + remarks.map(\.rawValue)).joined(separator: "; ")
    }

    private func label(of image: ImageID?, named name: String?) -> String {
        guard let image else { return name ?? "???" }
        return "\(name ?? "???") \(image)"
    }
}

private struct RawGroup: Hashable {
    var status: FrameStatus
    var image: ImageID?
    var name: String?

    /// Images rarely have two names, so the name is not hashed if there is an identity.
    func hash(into hasher: inout Hasher) {
        hasher.combine(image)
        if image == nil { hasher.combine(name) }
    }

    init(_ row: SymbolicatedFrame) {
        status = row.status
        image = row.image
        name = row.imageName
    }

    func contains(_ row: SymbolicatedFrame) -> Bool {
        image == row.image && status == row.status && name == row.imageName
    }
}
