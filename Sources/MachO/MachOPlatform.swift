import ByteReading

/// The platform that an image is built for (`LC_BUILD_VERSION`, `LC_VERSION_MIN_…`).
public enum MachOPlatform: UInt32, Sendable {
    case macOS = 1
    case iOS = 2
    case tvOS = 3
    case watchOS = 4
    case bridgeOS = 5
    case macCatalyst = 6
    case iOSSimulator = 7
    case tvOSSimulator = 8
    case watchOSSimulator = 9
    case driverKit = 10
    case visionOS = 11
    case visionOSSimulator = 12

    /// Reads a load command; returns `nil` for other commands and unknown platforms.
    init?(_ command: LoadCommand) throws(ReadingError) {
        switch command.kind {
        case .buildVersion:
            var cursor = command.body
            self.init(rawValue: try cursor.number(UInt32.self))
        case .minimumMacOS: self = .macOS
        case .minimumIOS: self = .iOS
        case .minimumTVOS: self = .tvOS
        case .minimumWatchOS: self = .watchOS
        default: return nil
        }
    }

    /// The name in lower case: the linker's `-platform_version` spelling without hyphens.
    public var name: String { "\(self)".lowercased() }
}
