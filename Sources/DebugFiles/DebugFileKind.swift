/// The role of a debug file. The raw values are stable: programs read them.
public enum DebugFileKind: String, CaseIterable, Hashable, Sendable {
    // Mach-O
    case dSYM = "dsym"
    case executable
    case dylib
    case bundle
    case dylinker
    case kext
    case preload
    case object
    // ELF
    case elfExecutable = "elf_executable"
    case elfShared = "elf_shared"
    /// An image without its code, with only symbols and debug information.
    case elfDebug = "elf_debug"
    case elfObject = "elf_object"
    /// Debug information that several images share, which `dwz` moved out of their debug files.
    case elfSupplement = "elf_supplement"

    case other

    /// Whether the file is not linked yet: it then has neither addresses nor an identity.
    public var isObject: Bool { self == .object || self == .elfObject }

    /// Whether the file is an image that a loader maps.
    public var containsCode: Bool {
        switch self {
        case .executable, .dylib, .bundle, .dylinker, .kext, .preload, .elfExecutable, .elfShared:
            true
        case .dSYM, .object, .elfDebug, .elfObject, .elfSupplement, .other: false
        }
    }

    /// Whether its identity is a build ID and not an `LC_UUID`.
    public var isELF: Bool {
        switch self {
        case .elfExecutable, .elfShared, .elfDebug, .elfObject, .elfSupplement: true
        default: false
        }
    }

    /// Whether the file is ELF with code, which a separate debug file of the same image lacks.
    public var isELFWithCode: Bool { isELF && containsCode }
}
