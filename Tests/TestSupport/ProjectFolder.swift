public import Foundation

/// The package's folder, where tests find `Fixtures` and `Symbols`.
public let projectFolder = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
