import Problems

/// The parts of a page that can fail without the rest of it.
struct PageParts {
    /// The parts that failed, each with the reason.
    private(set) var failures: [String] = []

    /// Returns a part of a page, or a replacement if it cannot be read.
    mutating func read<Part>(
        _ name: String, or replacement: Part, _ part: () async throws -> Part
    ) async -> Part {
        do { return try await part() } catch {
            failures.append("\(name): \(Problem(error).description)")
            return replacement
        }
    }
}
