import SymbolIntake

/// The files that one transaction of a removal removed.
///
/// A removal holds the lock of ``SymbolChangeTable/lock()``, for which commits of runs wait. So the
/// files of a build or a system are removed in several transactions. After a removal that failed,
/// the build or the system still exists with the remaining files, and can be removed again.
struct RemovalStep {
    let files: [StoredDebugFile]
    /// Whether nothing remains to be removed.
    let isLast: Bool

    /// The maximum number of files of a build, or of images of a system, in a step.
    static let limit = 200
}
