import ByteReading

/// A property of a debug file that limits the results of lookups in it.
public struct DebugFileWarning: Hashable, Sendable {
    /// The kinds of warning. The raw values are stable: programs read them.
    public enum Code: String, CaseIterable, Hashable, Sendable {
        /// No debug information: only the symbol table is left.
        case noDebugInfo = "no-debug-info"
        /// No identity by which diagnostics could refer to the file.
        case noIdentity = "no-identity"
        /// A file next to it that should belong to the same build does not.
        case identityMismatch = "identity-mismatch"
        /// Names are placeholders of a bitcode build (`__hidden#1_`).
        case hiddenSymbols = "hidden-symbols"
        /// The debug information is still in object files.
        case objectFilesOnly = "oso-only"
        /// The local symbols of a shared cache are in a `.symbols` file that is missing.
        case symbolsFileMissing = "symbols-file-missing"
        /// Functions and inlined calls are in missing `.dwo` files.
        case splitDwarfMissing = "split-dwarf-missing"
        /// Names are in a missing supplementary file of `dwz`.
        case dwzAlternateMissing = "dwz-alternate-missing"
        /// Contents extend past the end of the file.
        case truncated
        /// Contents violate their format.
        case malformed
    }

    public let code: Code
    /// A sentence for people, in lower case, without the name of the file.
    public let text: String

    public init(_ code: Code, _ text: String) {
        self.code = code
        self.text = text
    }

    /// Code and text in one line: `no-debug-info: has no …`.
    public var line: String { "\(code.rawValue)\(Self.separator)\(text)" }

    /// Reads a ``line``; returns `nil` if its code is unknown.
    public init?(line: String) {
        guard let separator = line.firstRange(of: Self.separator),
            let code = Code(rawValue: String(line[..<separator.lowerBound]))
        else { return nil }
        self.init(code, String(line[separator.upperBound...]))
    }

    private static let separator = ": "

    init(_ error: ReadingError) {
        switch error.reason {
        case .needs: self.init(.truncated, error.description)
        default: self.init(.malformed, error.description)
        }
    }
}
