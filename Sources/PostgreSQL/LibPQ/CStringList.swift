/// Strings in the form that C functions expect: an array of pointers, terminated by a null pointer.
struct CStringList {
    /// All strings, each followed by a zero byte.
    private var bytes: [CChar] = []
    private var starts: [Int] = []

    init(_ texts: some Sequence<String>) {
        for text in texts {
            starts.append(bytes.count)
            bytes += text.utf8.lazy.map { CChar(bitPattern: $0) }
            bytes.append(0)
        }
    }

    /// Calls `body` with pointers that are valid until it returns.
    func withPointers<Result>(_ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Result) -> Result {
        unsafe bytes.withUnsafeBufferPointer { bytes in
            var pointers: [UnsafePointer<CChar>?] = unsafe starts.map { start in
                unsafe bytes.baseAddress?.advanced(by: start)
            }
            unsafe pointers.append(nil)
            return unsafe body(pointers)
        }
    }
}
