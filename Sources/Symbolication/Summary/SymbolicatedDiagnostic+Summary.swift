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
        var texts: [String] = []
        texts.reserveCapacity(images.count)
        var text: [UInt8] = []
        text.reserveCapacity(Self.bytesPerReason)
        for image in images where image.status == .missing {
            text.removeAll(keepingCapacity: true)
            write(image.image, named: image.name, to: &text)
            texts.append(String(decoding: text, as: UTF8.self))
        }
        return texts
    }

    /// The reasons why frames stayed raw, or `nil` if none did: one per image, then the remarks
    /// about the diagnostic, as in `missing_image: Shop 1F2E… (12 frames); json_truncated`.
    public var rawReasons: String? {
        var groups: [(group: RawGroup, count: Int)] = []
        groups.reserveCapacity(images.count)
        var positions = [RawGroup: Int](minimumCapacity: images.count)
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
        // One array of bytes, instead of several strings for each image.
        var text: [UInt8] = []
        text.reserveCapacity(Self.bytesPerReason * groups.count)
        for (group, count) in groups {
            if !text.isEmpty { text += "; ".utf8 }
            text += group.status.rawValue.utf8
            text += ": ".utf8
            write(group.image, named: group.name, to: &text)
            text += count == 1 ? " (1 frame)".utf8 : " (\(count) frames)".utf8
        }
        for remark in remarks {
            text += "; ".utf8
            text += remark.rawValue.utf8
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The usual size of a reason.
    private static let bytesPerReason = 96

    /// Appends `NAME UUID`.
    private func write(_ image: ImageID?, named name: String?, to text: inout [UInt8]) {
        text += (name ?? "???").utf8
        guard let image else { return }
        text.append(UInt8(ascii: " "))
        image.write(to: &text)
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
