/// The files of a part's entries, in the order of first use.
struct PartFiles: Sendable {
    /// For each file, its position in the list + 1, or 0.
    private var numbers: [UInt32] = []
    private var list: [UInt32] = []

    mutating func begin(fileCount: Int) { numbers.reach(fileCount + 1, filler: 0) }

    /// Returns the position of a file in the list.
    mutating func number(of file: UInt32) -> UInt32 {
        if numbers[Int(file)] == 0 {
            list.append(file)
            numbers[Int(file)] = UInt32(list.count)
        }
        return numbers[Int(file)] - 1
    }

    /// Writes the list and empties it.
    ///
    /// - Returns: The number of files.
    mutating func finish(_ bytes: inout [UInt8], at count: inout Int) -> UInt32 {
        let fileCount = UInt32(list.count)
        var bytes = bytes.mutableSpan
        for file in list {
            unsafe bytes.put(leb128: UInt64(file), at: &count)
            numbers[Int(file)] = 0
        }
        list.removeAll(keepingCapacity: true)
        return fileCount
    }
}
