extension Array {
    /// Calls `body` with an element in place.
    ///
    /// A copy would retain the element's memory, and the atomic increment would wait for all
    /// pending reads.
    @inline(__always)
    func borrowing<Result>(_ index: Int, _ body: (borrowing Element) -> Result) -> Result {
        precondition(index >= 0 && index < count, "there is no such element")
        return unsafe withUnsafeBufferPointer { elements in
            unsafe body((elements.baseAddress! + index).pointee)
        }
    }
}
