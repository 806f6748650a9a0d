/// The reason why a value cannot be written or read, without the name of its column.
public struct ValueProblem: Error, Hashable, Sendable {
    let detail: String

    init(_ detail: String) { self.detail = detail }
}
