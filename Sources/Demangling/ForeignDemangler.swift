internal import CSwiftDemangle

/// A demangler written in C or C++, which may be called in a child process.
///
/// The child may use 64 MiB and a second of processor time, and hands back what fits on the screen.
/// A crash in it, a stack overflow included, is an answer: the name stays mangled.
@safe
struct ForeignDemangler {
    enum Place {
        case here
        case child
    }

    private let function: symbolist_demangler

    init(_ function: symbolist_demangler) {
        unsafe self.function = function
    }

    /// - Returns: `nil` where the demangler refused the name, or where the child failed.
    func text(of name: Substring, in place: Place) -> LimitedText? {
        // C would read up to the NUL and take the rest for demangled.
        guard !name.utf8.contains(0) else { return nil }
        let capacity = Demangler.textBytesLimit + 1
        let count = name.utf8.count
        return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: capacity) { out in
            guard let start = out.baseAddress else { return nil }
            let size = unsafe String(name).withCString { name in
                switch place {
                case .here: unsafe symbolist_demangle_here(function, name, count, start, capacity)
                case .child:
                    unsafe symbolist_demangle_in_child(function, name, count, start, capacity)
                }
            }
            guard size > 0 else { return nil }
            return unsafe LimitedText(bytes: UnsafeRawBufferPointer(out)[..<size], isCut: false)
        }
    }
}
