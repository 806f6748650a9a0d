public import ByteReading

/// The reason why a file, or one slice of it, is not a usable debug file.
public struct DebugFileError: Error, Hashable, Sendable {
    public enum Reason: Hashable, Sendable {
        /// The file is neither ELF nor Mach-O.
        case unrecognised
        /// An archive of object files, which have no identity.
        case staticLibrary
        case reading(ReadingError)
        /// A Mach-O image without `__TEXT`, the origin of offsets.
        case missingText
        case missingSlice(wanted: String, present: [String])
        /// A `.dwo` file or package without readable units.
        case splitUnits(String)
        /// A supplementary file with other debug information than the file that names it was made
        /// with.
        case otherSupplement
        /// A supplementary file without readable units.
        case supplement(String)
    }

    public let reason: Reason
    public let name: String

    public init(_ reason: Reason, name: String) {
        self.reason = reason
        self.name = name
    }
}

extension DebugFileError: CustomStringConvertible {
    /// `Shop: no slice for 'arm64e' (slices: arm64, x86_64)`.
    public var description: String {
        [name, reason.description, reason.suggestion].compactMap(\.self).joined(separator: ": ")
    }
}

extension DebugFileError.Reason: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unrecognised: "is not a Mach-O or ELF file"
        case .staticLibrary: "is a static library"
        case .reading(let error): error.description
        case .splitUnits(let problem), .supplement(let problem): problem
        case .otherSupplement: "is of another build"
        case .missingText: "__TEXT is missing, so offsets have no origin"
        case .missingSlice(let wanted, let present):
            "no slice for '\(wanted)' (slices: \(present.joined(separator: ", ")))"
        }
    }

    /// The next step, or `nil` if it depends on the command.
    public var suggestion: String? {
        switch self {
        case .staticLibrary: "pass the dSYM or debug file of the image it was linked into"
        case .missingText: "pass the linked image or its dSYM"
        case .unrecognised, .reading, .missingSlice, .splitUnits, .otherSupplement, .supplement: nil
        }
    }
}
