/// Why a child's work came to nothing.
enum ChildFailure: Error, Hashable, Sendable {
    /// The file is not one that can be kept, in words.
    case refused(String)
    /// The system would not do what was needed, which is not the file's fault.
    case failed(String, isFull: Bool)
    case cancelled
    /// The child found itself without the process that started it.
    case orphaned
}
