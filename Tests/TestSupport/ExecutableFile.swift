public import Foundation

/// Writes a program that can be executed at once, and creates its folder.
///
/// Another process writes it: no file can be executed that a process has open for writing, and
/// programs that other tests start share the open files of this process for a moment.
///
/// - Returns: Its path.
public func writeExecutable(_ text: String, to file: URL) throws -> String {
    let folder = file.deletingLastPathComponent()
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let draft = file.path + ".draft"
    try Data(text.utf8).write(to: URL(fileURLWithPath: draft))
    try shell("install -m 755 '\(draft)' '\(file.path)'", in: folder)
    return file.path
}
