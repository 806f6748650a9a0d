public import ByteReading

/// Why a file, or one slice of it, is no debug file that can be used.
public struct DebugFileError: Error, Hashable, Sendable {
    public enum Reason: Hashable, Sendable {
        /// It is neither ELF nor Mach-O.
        case unrecognised
        /// An archive of object files, which have no identity.
        case staticLibrary
        case reading(ReadingError)
        /// A Mach-O image without `__TEXT`, from which offsets count.
        case missingText
        case missingSlice(wanted: String, present: [String])
        /// A `.dwo` file or package in which no unit can be found.
        case splitUnits(String)
    }

    public let reason: Reason
    /// The name of the file, as it was handed in.
    public let name: String

    public init(_ reason: Reason, name: String) {
        self.reason = reason
        self.name = name
    }
}

extension DebugFileError: CustomStringConvertible {
    /// `Shop: no slice for 'arm64e', it holds arm64 and x86_64`.
    public var description: String { "\(name): \(reason)" }
}

extension DebugFileError.Reason: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unrecognised: "is neither Mach-O nor ELF"
        case .staticLibrary:
            "is a static library: give the dSYM or debug file of the image it was linked into"
        case .reading(let error): error.description
        case .splitUnits(let problem): problem
        case .missingText:
            "__TEXT is missing, so offsets have no origin: give the linked image or its dSYM"
        case .missingSlice(let wanted, let present):
            "no slice for '\(wanted)', it holds \(Self.enumeration(present))"
        }
    }

    private static func enumeration(_ words: [String]) -> String {
        guard let last = words.last else { return "none" }
        let others = words.dropLast().joined(separator: ", ")
        return others.isEmpty ? last : "\(others) and \(last)"
    }
}
