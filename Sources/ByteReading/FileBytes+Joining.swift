extension FileBytes {
    /// A copy of several parts, one after another.
    public init(joining parts: [FileBytes], subject: String) {
        let count = parts.reduce(0) { $0 + $1.count }
        unsafe self.init(count: count, subject: subject) { copy in
            var end = 0
            for part in parts {
                let target = unsafe UnsafeMutableRawBufferPointer(rebasing: copy[end...])
                unsafe part.withUnsafeBytes { unsafe target.copyMemory(from: $0) }
                end += part.count
            }
        }
    }
}
