import SymbolIntake

/// The files that were removed by one transaction of a removal.
///
/// A removal holds the lock of ``SymbolChangeTable/lock()``, which blocks commits of runs. So the
/// files of a build or a system are removed in several transactions. If a removal fails, the build
/// or the system still exists with the remaining files, and can be removed again.
struct RemovalStep {
    let files: [StoredDebugFile]
    /// Whether nothing remains to be removed.
    let isLast: Bool

    /// The maximum number of files of a build, or of images of a system, in a step.
    static let limit = 200
}
