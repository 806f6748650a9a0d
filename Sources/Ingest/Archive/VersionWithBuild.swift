/// The parts of `1.4.0 (217)`.
public struct VersionWithBuild: Hashable, Sendable {
    public let version: String
    /// The build, or `nil` if the text has none.
    public let build: String?

    public init(_ text: String) {
        let open = text.lastIndex(of: "(") ?? text.endIndex
        let name = text[..<open].split(separator: " ").joined(separator: " ")
        let number = text[open...].dropFirst().dropLast()
        guard text.hasSuffix(")"), !name.isEmpty, !number.isEmpty else {
            (version, build) = (text, nil)
            return
        }
        (version, build) = (name, String(number))
    }
}
