import CallStacks

extension SymbolicatedDiagnostic {
    /// The row of the function that a person would put in the title: the innermost one that somebody
    /// wrote for the app. Where the app has none that was resolved, one of a library's headers, then
    /// one that the compiler made for it, then the innermost resolved one of the system; `nil` where
    /// nothing was resolved.
    func culprit(among representative: [Int]) -> Int? {
        let rows = representative.filter {
            frames[$0].status.isResolved && !frames[$0].isRuntimeFailure
                && !frames[$0].remarks.contains(.duplicateInnermost)
        }
        let written = rows.filter { frames[$0].isInApp && !frames[$0].isCompilerGenerated }
        return written.first { frames[$0].file?.isOfToolchain != true } ?? written.first
            ?? rows.first { frames[$0].isInApp }
            ?? rows.first { !frames[$0].isCompilerGenerated }
            ?? rows.first
    }
}

extension SymbolicatedFrame {
    /// What the Swift compiler calls the function that stands for a failed check.
    private static let runtimeFailurePrefix = "Swift runtime failure: "

    /// Whether it is the inlined call by which the Swift compiler describes a trap.
    var isRuntimeFailure: Bool { runtimeFailure != nil }

    /// What the Swift compiler says about a trap: `Index out of range`.
    var runtimeFailure: String? {
        guard let mangled, mangled.hasPrefix(Self.runtimeFailurePrefix) else { return nil }
        return String(mangled.dropFirst(Self.runtimeFailurePrefix.count))
    }
}

extension SourceFile {
    /// Folders that compilers and SDKs have their headers and libraries in.
    private static let toolchainFolders = [
        "/usr/include/", "/usr/lib/", ".sdk/", ".xctoolchain/", "/rustc/",
        "/Applications/Xcode", "/Library/Developer/CommandLineTools/",
    ]

    /// Whether it came with the compiler, such as the headers of C++ that are inlined everywhere.
    var isOfToolchain: Bool {
        let folder = folder + "/"
        return Self.toolchainFolders.contains { folder.contains($0) }
    }
}
