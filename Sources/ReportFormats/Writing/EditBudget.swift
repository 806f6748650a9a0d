import CallStacks

/// The bytes that the edits of all reports of a file may still add.
///
/// Each function repeats part of its frame, so a small file could become a huge one. Once the limit
/// is reached, all further frames stay unchanged.
public struct EditBudget: Sendable {
    /// The part of the budget that does not depend on the size of the file, in bytes. The file's
    /// size is added to it.
    static let bytesLimit = 64 << 20
    /// The bytes written around a function's names.
    private static let overhead = 64

    private var rest: Int

    /// - Parameter fileByteCount: The size of the file that is rewritten.
    public init(fileByteCount: Int) { rest = fileByteCount + Self.bytesLimit }

    init(bytes: Int) { rest = bytes }

    /// Reserves room for a frame with all its functions, or for nothing.
    ///
    /// - Parameter pattern: The number of bytes of the report repeated for each function.
    mutating func reserve(_ functions: [SymbolicatedFrame], repeating pattern: Int) -> Bool {
        for function in functions {
            let names =
                (function.function ?? "").utf8.count
                + (function.fileLabel ?? "").utf8.count
            guard reserve(pattern + names) else { return false }
        }
        return true
    }

    /// Reserves room for one function, or for nothing.
    ///
    /// - Parameter count: The size of its names and the repeated text, in bytes.
    package mutating func reserve(_ count: Int) -> Bool {
        guard Self.overhead + count <= rest else {
            rest = 0
            return false
        }
        rest -= Self.overhead + count
        return true
    }
}
