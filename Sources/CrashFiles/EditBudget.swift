import CallStacks

/// How many bytes the changes of all reports of a file may still have.
///
/// Each function repeats what a report says of its frame, so that a small file could become a huge
/// one. At the limit the frame and all that follow stay as they are.
public struct EditBudget: Sendable {
    /// What may be written besides as much as the file has, in bytes.
    static let bytesLimit = 64 << 20
    /// What is written around the names of a function, in bytes.
    private static let overhead = 64

    private var rest: Int

    /// - Parameter fileByteCount: How long the file is that is written.
    public init(fileByteCount: Int) { rest = fileByteCount + Self.bytesLimit }

    init(bytes: Int) { rest = bytes }

    /// Takes a frame with all its functions, or nothing of it.
    ///
    /// - Parameter pattern: How many bytes of the report are repeated for each function.
    mutating func takes(_ functions: [SymbolicatedFrame], repeating pattern: Int) -> Bool {
        for function in functions {
            let names =
                (function.function ?? "").utf8.count
                + (function.writtenFile ?? "").utf8.count
            guard takes(pattern + names) else { return false }
        }
        return true
    }

    /// Takes what is written of one function, or nothing.
    ///
    /// - Parameter count: Of its names and of what is repeated, in bytes.
    mutating func takes(_ count: Int) -> Bool {
        guard Self.overhead + count <= rest else {
            rest = 0
            return false
        }
        rest -= Self.overhead + count
        return true
    }
}
