/// Statements that are sent together, with one wait for all of their results.
struct Pipeline: Sendable {
    var statements: [Statement]
    /// Whether the last statement commits changes. If so, the outcome is unknown if the connection
    /// is lost.
    var commits: Bool
    /// The time limit of all statements together.
    var timeLimit: Duration
}
