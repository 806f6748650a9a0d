internal import CSwiftDemangle

/// A demangler written in C or C++, which may be called in this process or in a child.
@safe
struct CDemangler {
    let function: symbolist_demangler

    init(_ function: symbolist_demangler) {
        unsafe self.function = function
    }

    /// Returns the text of `name`, unless it has to be demangled in a child process.
    func attempt(_ name: Substring, needsChild: Bool) -> DemanglingAttempt {
        // The demangler would read only up to the NUL.
        guard !name.contains(0) else { return .done(nil) }
        return needsChild
            ? .needsChild(CDemanglerInput(mangled: name, demangler: self)) : .done(text(of: name))
    }

    private func text(of name: Substring) -> BoundedText? {
        let capacity = Demangler.textBytesLimit + 1
        return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: capacity) { out in
            guard let start = out.baseAddress else { return nil }
            let size = unsafe String(name).withCString { text in
                unsafe symbolist_demangle_here(function, text, name.utf8.count, start, capacity)
            }
            guard size > 0 else { return nil }
            let bytes = unsafe UnsafeRawBufferPointer(out)[..<size]
            return unsafe BoundedText(bytes: bytes, of: name)
        }
    }
}

/// A name that has to be demangled in a child process.
struct CDemanglerInput {
    var mangled: Substring
    var demangler: CDemangler
}

/// The result of demangling a name in this process.
enum DemanglingAttempt {
    /// The text, or `nil` if the name is invalid.
    case done(BoundedText?)
    case needsChild(CDemanglerInput)
}

extension BoundedText {
    /// Creates the text from a foreign demangler's output. Returns `nil` for the name itself, which
    /// the demangler prints if it is invalid.
    init?(bytes: some Collection<UInt8>, of name: Substring) {
        self.init(bytes: bytes, isTruncated: false)
        if !isTruncated, text == name { return nil }
    }
}
