import CallStacks

/// How many bytes the changes of one report may still have.
///
/// Each function repeats what the report says of its frame, so that a small report could become a
/// huge one. At the limit the frame and all that follow stay as they are.
struct EditBudget {
    /// What may be written besides as much as the file has, in bytes.
    static let bytesLimit = 64 << 20
    /// What is written around the names of a function, in bytes.
    private static let overhead = 64

    private var rest: Int

    init(bytes: Int) { rest = bytes }

    /// Takes a frame with all its functions, or nothing of it.
    ///
    /// - Parameter pattern: How many bytes of the report are repeated for each function.
    mutating func takes(_ functions: [SymbolicatedFrame], repeating pattern: Int) -> Bool {
        for function in functions {
            let names =
                (function.function ?? "").utf8.count
                + (function.writtenFile ?? "").utf8.count
            let count = Self.overhead + pattern + names
            guard count <= rest else {
                rest = 0
                return false
            }
            rest -= count
        }
        return true
    }
}
