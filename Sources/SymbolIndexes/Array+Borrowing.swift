extension Array {
    /// Calls `body` with an element where it stands.
    ///
    /// A copy would be counted as another holder of the memory that the element has, and counting
    /// waits until everything read so far is there.
    @inline(__always)
    func borrowing<Result>(_ index: Int, _ body: (borrowing Element) -> Result) -> Result {
        precondition(index >= 0 && index < count, "there is no such element")
        return unsafe withUnsafeBufferPointer { elements in
            unsafe body((elements.baseAddress! + index).pointee)
        }
    }
}
