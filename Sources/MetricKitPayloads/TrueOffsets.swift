import CallStacks

/// What the offset field of a frame really says.
struct TrueOffset: Hashable {
    /// The distance from the image's start, or `nil` where none can be told.
    var offset: UInt64?
    var loadAddress: UInt64?
    /// Whether the writer has moved a return address back by one.
    var isMinusOne = false
    var remarks: [Remark] = []
}

/// Tells the true offsets of a tree from what was received, by the numbers alone.
///
/// Two things are odd. Crash reports of iOS 14 and 15 hold the load address in the offset field. And
/// sampled trees hold offsets that are one less than the return address, except in leaves, while
/// `address` stays the return address: `(address − offset) & 0xfff` is 1 there, and 0 elsewhere,
/// because images start on pages.
struct TrueOffsets {
    let tree: ReceivedTree
    let architectures: Architectures

    /// An offset that no image is large enough for. A 64-bit process maps nothing below this, so a
    /// load address is never smaller.
    static let implausible: UInt64 = 1 << 32

    var offsets: [TrueOffset] {
        let looksAligned = offsetsLookAligned
        var result: [TrueOffset] = []
        result.reserveCapacity(tree.frames.count)
        var misses = false
        // By index, because to copy a frame costs more than to look at it.
        for index in tree.frames.indices {
            if let offset = tree.frames[index].offset {
                result.append(read(offset, index, looksAligned: looksAligned))
            } else {
                result.append(TrueOffset())
                misses = true
            }
        }
        if misses { derive(into: &result) }
        return result
    }

    private func read(_ offset: UInt64, _ frame: Int, looksAligned: Bool) -> TrueOffset {
        let received = tree.frames[frame].address
        if offset >= Self.implausible { return readLarge(offset, address: received) }
        guard let address = received else {
            let isMinusOne =
                offset & 3 == 3 && isArm(tree.frames[frame], looksAligned: looksAligned)
            return TrueOffset(offset: offset, isMinusOne: isMinusOne)
        }
        let distance = address &- offset
        guard address >= offset, distance & 0xfff <= 1
        else { return TrueOffset(offset: offset, remarks: [.loadUnaligned]) }
        let isMinusOne = distance & 0xfff == 1
        return TrueOffset(
            offset: offset, loadAddress: distance - (isMinusOne ? 1 : 0), isMinusOne: isMinusOne)
    }

    private func readLarge(_ offset: UInt64, address: UInt64?) -> TrueOffset {
        guard let address else { return TrueOffset(remarks: [.offsetIsLoadAddress]) }
        guard address >= offset, address - offset < Self.implausible
        else { return TrueOffset(remarks: [.offsetImplausible]) }
        return TrueOffset(offset: address - offset, loadAddress: offset)
    }

    private func isArm(_ frame: ReceivedTree.Frame, looksAligned: Bool) -> Bool {
        guard let architecture = architectures.architecture(of: frame) else { return looksAligned }
        return architecture.cpuType == Architecture.arm64.cpuType
    }

    /// Whether each offset could be that of an instruction of four bytes, or one less.
    private var offsetsLookAligned: Bool {
        tree.frames.indices.allSatisfy { index in
            guard let offset = tree.frames[index].offset else { return true }
            return offset & 3 == 0 || offset & 3 == 3
        }
    }

    /// Fills in offsets from addresses, where other frames of the image agree on its load address.
    private func derive(into offsets: inout [TrueOffset]) {
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
                offsets[index] = TrueOffset(
                    offset: address - load, loadAddress: load, remarks: [.offsetDerived])
            } else {
                offsets[index].remarks.note(.noOffset)
            }
        }
    }
}
