import CallStacks

/// The meaning of a frame's offset field.
struct DecodedOffset: Hashable {
    /// The distance from the image's start, or `nil` if it cannot be determined.
    var offset: UInt64?
    var loadAddress: UInt64?
    /// Whether the writer has moved a return address back by one.
    var isMinusOne = false
    var remarks: [Remark] = []
}

/// Determines the true offsets of a tree from the received numbers alone.
///
/// There are two anomalies. Crash reports of iOS 14 and 15 have the load address in the offset
/// field. And sampled trees have offsets that are one less than the return address, except in
/// leaves, while `address` is the return address: `(address − offset) & 0xfff` is 1 there, and 0
/// elsewhere, because images start on pages.
struct OffsetDecoder {
    let tree: ReceivedTree
    let architectures: ImageArchitectures

    /// The smallest implausible offset: no image is this large. A 64-bit process maps nothing below
    /// this address, so a load address is never smaller.
    static let implausible: UInt64 = 1 << 32

    var offsets: [DecodedOffset] {
        let looksAligned = offsetsLookAligned
        var result: [DecodedOffset] = []
        result.reserveCapacity(tree.frames.count)
        var misses = false
        // Reads frames by index, because copying a frame is more expensive.
        for index in tree.frames.indices {
            if let offset = tree.frames[index].offset {
                result.append(read(offset, ofFrame: index, looksAligned: looksAligned))
            } else {
                result.append(DecodedOffset())
                misses = true
            }
        }
        if misses { derive(into: &result) }
        return result
    }

    private func read(_ offset: UInt64, ofFrame frame: Int, looksAligned: Bool) -> DecodedOffset {
        let received = tree.frames[frame].address
        if offset >= Self.implausible { return readLarge(offset, address: received) }
        guard let address = received else {
            let isMinusOne =
                offset & 3 == 3 && isArm(tree.frames[frame], looksAligned: looksAligned)
            return DecodedOffset(offset: offset, isMinusOne: isMinusOne)
        }
        let distance = address &- offset
        guard address >= offset, distance & 0xfff <= 1
        else { return DecodedOffset(offset: offset, remarks: [.loadUnaligned]) }
        let isMinusOne = distance & 0xfff == 1
        return DecodedOffset(
            offset: offset, loadAddress: distance - (isMinusOne ? 1 : 0), isMinusOne: isMinusOne)
    }

    private func readLarge(_ offset: UInt64, address: UInt64?) -> DecodedOffset {
        guard let address else { return DecodedOffset(remarks: [.offsetIsLoadAddress]) }
        guard address >= offset, address - offset < Self.implausible
        else { return DecodedOffset(remarks: [.offsetImplausible]) }
        return DecodedOffset(offset: address - offset, loadAddress: offset)
    }

    private func isArm(_ frame: ReceivedTree.Frame, looksAligned: Bool) -> Bool {
        guard let architecture = architectures.architecture(of: frame) else { return looksAligned }
        return architecture.cpuType == Architecture.arm64.cpuType
    }

    /// Whether each offset could be that of a four-byte instruction, or one less.
    private var offsetsLookAligned: Bool {
        tree.frames.indices.allSatisfy { index in
            guard let offset = tree.frames[index].offset else { return true }
            return offset & 3 == 0 || offset & 3 == 3
        }
    }

    /// Fills in offsets from addresses, if the other frames of the image agree on its load address.
    private func derive(into offsets: inout [DecodedOffset]) {
        var loadAddresses: [ImageID: Set<UInt64>] = [:]
        for (frame, offset) in zip(tree.frames, offsets) {
            guard let image = frame.image, let load = offset.loadAddress else { continue }
            loadAddresses[image, default: []].insert(load)
        }
        for (index, frame) in tree.frames.enumerated() where frame.offset == nil {
            let loads = frame.image.flatMap { loadAddresses[$0] } ?? []
            if let address = frame.address, let load = loads.first, loads.count == 1,
                address >= load, address - load < Self.implausible
            {
                offsets[index] = DecodedOffset(
                    offset: address - load, loadAddress: load, remarks: [.offsetDerived])
            } else {
                offsets[index].remarks.add(.noOffset)
            }
        }
    }
}
