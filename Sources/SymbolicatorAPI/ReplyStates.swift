import CallStacks

/// The status of a frame in a response.
enum FrameState: String {
    case symbolicated
    case missingSymbol = "missing_symbol"
    case unknownImage = "unknown_image"
    case missing
    case malformed

    /// - Parameter hasModule: Whether a module covers the frame's address, even one without an
    ///   identity.
    init(_ frame: SymbolicatedFrame, hasModule: Bool) {
        switch frame.status {
        case .symbolicated, .symbolOnly: self = .symbolicated
        case .missingImage: self = .missing
        case .noDebugInfo, .notFound, .badOffset: self = .missingSymbol
        case .unknownImage: self = hasModule ? .missing : .unknownImage
        case .corruptIndex: self = .malformed
        }
    }
}

/// The status of a module's symbols in a response.
struct ModuleState {
    let isUsed: Bool
    let architecture: String?
    private let status: ImageStatus.State?

    /// - Parameters:
    ///   - image: The status of the module's image, or `nil` if its identity is unknown or no frame
    ///     is in it.
    ///   - isUsed: Whether a frame is in the module.
    init(_ image: ImageStatus?, isUsed: Bool) {
        self.isUsed = isUsed
        status = image?.status
        architecture = image?.architecture.map { $0 == "aarch64" ? "arm64" : $0 }
    }

    var debugStatus: String {
        guard isUsed else { return "unused" }
        switch status {
        case .found, .noDebugInfo: return "found"
        case .corrupt: return "malformed"
        case .missing, .unidentified, nil: return "missing"
        }
    }

    var hasDebugInformation: Bool { isUsed && status == .found }
    var hasSymbols: Bool { isUsed && (status == .found || status == .noDebugInfo) }
}

extension SymbolicatedDiagnostic {
    /// The statuses of the images by identity.
    var imageStatuses: [ImageID: ImageStatus] {
        images.reduce(into: [:]) { statuses, status in
            guard let image = status.image, statuses[image] == nil else { return }
            statuses[image] = status
        }
    }
}

/// The language of a function, from its mangled name and its file.
enum SourceLanguage: String {
    case c, cpp, objc, objcpp, rust, swift

    init?(_ frame: SymbolicatedFrame) {
        let name = frame.mangled ?? frame.function ?? ""
        let ending = frame.file?.name.split(separator: ".").last.map { $0.lowercased() }
        switch ending {
        case "swift": self = .swift
        case "rs": self = .rust
        case "m": self = .objc
        case "mm": self = .objcpp
        case "c": self = .c
        case "cc", "cpp", "cxx", "hh", "hpp": self = .cpp
        default:
            if ["$s", "$S", "_T0", "$e"].contains(where: name.hasPrefix) {
                self = .swift
            } else if name.hasPrefix("_R") {
                self = .rust
            } else if name.hasPrefix("_Z") {
                self = .cpp
            } else if name.hasPrefix("-[") || name.hasPrefix("+[") {
                self = .objc
            } else {
                return nil
            }
        }
    }
}
