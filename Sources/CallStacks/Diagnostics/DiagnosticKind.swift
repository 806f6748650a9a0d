/// The kind of event that a diagnostic describes.
public enum DiagnosticKind: String, Hashable, Sendable, CaseIterable {
    case crash
    case hang
    case cpuException = "cpu_exception"
    case diskWriteException = "disk_write_exception"
    case appLaunch = "app_launch"
    case memoryException = "memory_exception"
    case unknown

    /// Whether its stacks were sampled over time, so that they form weighted trees.
    public var isSampled: Bool {
        switch self {
        case .hang, .cpuException, .diskWriteException, .appLaunch: true
        case .crash, .memoryException, .unknown: false
        }
    }
}
