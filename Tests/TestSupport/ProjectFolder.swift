public import Foundation

/// The folder of the package, from which tests find `Fixtures` and `Symbols`.
public let projectFolder = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
