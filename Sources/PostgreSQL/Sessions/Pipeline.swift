/// Statements that are sent together, with one wait for all of their results.
struct Pipeline: Sendable {
    var statements: [Statement]
    /// Whether the last statement commits changes, so that a lost connection leaves their fate
    /// unknown.
    var commits: Bool
    /// The time limit of all statements together.
    var timeLimit: Duration
}
