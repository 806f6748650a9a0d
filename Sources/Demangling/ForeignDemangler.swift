internal import CSwiftDemangle

/// A demangler written in C or C++, which may be called in this process or in a child.
@safe
struct ForeignDemangler {
    let function: symbolist_demangler

    init(_ function: symbolist_demangler) {
        unsafe self.function = function
    }

    /// The text of `name`, unless it is to be made in a child process.
    func attempt(_ name: Substring, needsChild: Bool) -> Attempt {
        // C would read up to the NUL and take the rest for demangled.
        guard !name.holds(0) else { return .done(nil) }
        return needsChild
            ? .needsChild(ForeignName(mangled: name, demangler: self)) : .done(text(of: name))
    }

    private func text(of name: Substring) -> LimitedText? {
        let capacity = Demangler.textBytesLimit + 1
        return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: capacity) { out in
            guard let start = out.baseAddress else { return nil }
            let size = unsafe String(name).withCString { text in
                unsafe symbolist_demangle_here(function, text, name.utf8.count, start, capacity)
            }
            guard size > 0 else { return nil }
            let bytes = unsafe UnsafeRawBufferPointer(out)[..<size]
            return unsafe LimitedText(bytes: bytes, of: name)
        }
    }
}

/// A name that has to be demangled in a child process.
struct ForeignName {
    var mangled: Substring
    var demangler: ForeignDemangler
}

/// How far a name gets in this process.
enum Attempt {
    /// The text, or `nil` where the name is not understood.
    case done(LimitedText?)
    case needsChild(ForeignName)
}

extension LimitedText {
    /// What a foreign demangler printed. `nil` for the name itself, which says that the demangler
    /// could not read it.
    init?(bytes: some Collection<UInt8>, of name: Substring) {
        self.init(bytes: bytes, isCut: false)
        if !isCut, text == name { return nil }
    }
}
