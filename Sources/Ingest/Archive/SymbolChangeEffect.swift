package import SymbolIntake

/// The effect of a change of symbols on the diagnostics that wait for its image. Of several
/// changes, the smallest value counts.
package enum SymbolChangeEffect: Int16, Sendable {
    /// They are sent again.
    case resends
    /// They are sent again if system images cause re-sends; otherwise their waits are suspended
    /// while all symbols are stored.
    case suspends
    /// Symbols were removed: those whose waits are suspended wait again.
    case resumes

    /// The effect of a file that was stored or got better names.
    package init(storing file: StoredDebugFile) {
        self = file.isOfSystem ? .suspends : .resends
    }
}
