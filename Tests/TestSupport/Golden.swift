import Foundation

/// The reason why a golden test fails.
public struct GoldenFailure: Error, CustomStringConvertible {
    public let description: String
}

/// Compares `actual` with the file `Goldens/name` next to the test's source.
///
/// Run with `UPDATE_GOLDENS=1` to rewrite the file, then read the change with `git diff`. A missing
/// file is written and still fails the test, so that no new golden passes unseen.
public func expectGolden(
    _ actual: String, _ name: String, filePath: String = #filePath
) throws {
    let file = URL(fileURLWithPath: filePath).deletingLastPathComponent()
        .appendingPathComponent("Goldens").appendingPathComponent(name)
    let expected = try? String(contentsOf: file, encoding: .utf8)
    if expected == actual { return }
    let updates = ProcessInfo.processInfo.environment["UPDATE_GOLDENS"] == "1"
    if expected == nil || updates {
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try actual.write(to: file, atomically: true, encoding: .utf8)
    }
    if expected == nil { throw GoldenFailure(description: "\(name): was missing, now written") }
    if !updates { throw GoldenFailure(description: difference(name, expected ?? "", actual)) }
}

/// Describes the first line that differs, with its number.
private func difference(_ name: String, _ expected: String, _ actual: String) -> String {
    let wanted = expected.split(separator: "\n", omittingEmptySubsequences: false)
    let found = actual.split(separator: "\n", omittingEmptySubsequences: false)
    let line = zip(wanted, found).prefix { $0 == $1 }.count
    func text(_ lines: [Substring]) -> Substring { line < lines.count ? lines[line] : "(end)" }
    return """
        \(name):\(line + 1): differs
        expected: \(text(wanted))
        actual:   \(text(found))
        """
}
