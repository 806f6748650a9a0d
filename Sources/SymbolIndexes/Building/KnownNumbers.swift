import CallStacks

/// The number of names and files in a builder. Any other number in a record means none.
struct KnownNumbers {
    var nameCount: Int
    var fileCount: Int

    @inline(__always)
    func name(_ name: NameNumber?) -> UInt32 {
        guard let number = name?.rawValue, number < nameCount else { return 0 }
        return number
    }

    /// Files are counted from 1.
    @inline(__always)
    func file(_ file: FileNumber?) -> UInt32 {
        guard let number = file?.rawValue, number < fileCount else { return 0 }
        return number + 1
    }
}
