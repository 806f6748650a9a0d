/// An entry of a block, decoded without a branch from the eight bytes at its start.
struct ShortEntry {
    let distance: UInt64
    let isGap: Bool
    /// The zigzag-encoded change of the line, or 0 for none. The scope's change is encoded
    /// likewise.
    let lineChange: UInt64
    let scopeChange: UInt64
    let file: UInt64
    /// A mask of all ones if the file changes, else 0.
    let fileMask: UInt64
    let byteCount: Int
    /// Whether the whole entry is in the word: the distance has one byte, the line's change at most
    /// three, and each other number at most two.
    let isWhole: Bool

    @inline(__always)
    init(_ word: UInt64) {
        distance = word & 0xff
        let control = word &>> 8 & 0xff
        isGap = control == UInt64(IndexLayout.gapControl)
        let changes = isGap ? 0 : control
        let shortLine = changes &>> 2
        let lineFollows: UInt64 = shortLine >= IndexLayout.lineChangeFollows ? 1 : 0
        let line = ShortNumber(word &>> 16, count: lineFollows, thirdBytes: 1)
        var bits = 16 &+ line.bits
        let scope = ShortNumber(word &>> bits, count: changes &>> 1 & 1, thirdBytes: 0)
        bits &+= scope.bits
        let file = ShortNumber(word &>> bits, count: changes & 1, thirdBytes: 0)
        bits &+= file.bits
        lineChange = line.value | shortLine & (lineFollows &- 1)
        scopeChange = scope.value
        self.file = file.value
        fileMask = 0 &- (changes & 1)
        byteCount = Int(truncatingIfNeeded: bits &>> 3)
        let overflow = distance &>> 7 | line.overflow | scope.overflow | file.overflow
        isWhole = overflow == 0 && byteCount <= 8
    }
}

/// An optional LEB128 number of a few bytes at the start of a word.
struct ShortNumber {
    let bits: UInt64
    /// The number, or 0 if there is none.
    let value: UInt64
    /// 1 if more bytes follow, else 0.
    let overflow: UInt64

    /// - Parameters:
    ///   - count: The number of numbers, 0 or 1.
    ///   - thirdBytes: The number of bytes it may have in addition to two, 0 or 1.
    @inline(__always)
    init(_ word: UInt64, count: UInt64, thirdBytes: UInt64) {
        let second = word &>> 7 & count
        let third = word &>> 15 & second & thirdBytes
        bits = (count &+ second &+ third) &<< 3
        let middle = word &>> 1 & 0x3f80 & (0 &- second)
        let high = word &>> 2 & 0x1f_c000 & (0 &- third)
        value = (word & 0x7f | middle | high) & (0 &- count)
        overflow = thirdBytes == 1 ? word &>> 23 & third : word &>> 15 & second
    }
}
