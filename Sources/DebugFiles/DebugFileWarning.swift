import ByteReading

/// Something about a debug file that makes its answers poorer than they could be.
public struct DebugFileWarning: Hashable, Sendable {
    /// The kinds of warning. The raw values are stable: programs read them.
    public enum Code: String, CaseIterable, Hashable, Sendable {
        /// No debug information: the symbol table answers alone.
        case noDebugInfo = "no-debug-info"
        /// Nothing by which diagnostics could name the file.
        case noIdentity = "no-identity"
        /// Another file beside it that should be of the same build is not.
        case identityMismatch = "identity-mismatch"
        /// Names are placeholders of a bitcode build (`__hidden#1_`).
        case hiddenSymbols = "hidden-symbols"
        /// The debug information was left in object files.
        case objectFilesOnly = "oso-only"
        /// Functions and inlined calls are in `.dwo` files that are not here.
        case splitDwarfMissing = "split-dwarf-missing"
        /// Names are in a supplementary file of `dwz` that is not here.
        case dwzAlternateMissing = "dwz-alternate-missing"
        /// Something lies beyond the end of the file.
        case truncated
        /// Something does not say what its format promises.
        case malformed
    }

    public let code: Code
    /// A sentence for people, lower case, without the name of the file.
    public let text: String

    public init(_ code: Code, _ text: String) {
        self.code = code
        self.text = text
    }

    /// Code and text in one line: `no-debug-info: has no …`.
    public var line: String { "\(code.rawValue): \(text)" }

    init(_ error: ReadingError) {
        switch error.reason {
        case .needs: self.init(.truncated, error.description)
        default: self.init(.malformed, error.description)
        }
    }
}
