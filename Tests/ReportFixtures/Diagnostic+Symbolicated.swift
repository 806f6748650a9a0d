package import CallStacks
package import ReportFormats

/// A function found in a test; its file is `Orchard.swift` if it has a line.
package struct FoundFunction {
    let name: String
    let distance: UInt64?
    let line: UInt32
    let isInlined: Bool

    package init(
        name: String, distance: UInt64? = nil, line: UInt32 = 0, isInlined: Bool = false
    ) {
        self.name = name
        self.distance = distance
        self.line = line
        self.isInlined = isInlined
    }
}

extension Diagnostic {
    /// Returns the diagnostic with functions for some of its physical frames, innermost first, and
    /// none for the others.
    package func symbolicated(_ functions: [Int: [FoundFunction]]) -> SymbolicatedDiagnostic {
        var frames: [SymbolicatedFrame] = []
        for (physical, frame) in tree.frames.enumerated() {
            for function in functions[physical] ?? [] {
                var row = SymbolicatedFrame(physical: physical, frame: frame, status: .symbolicated)
                row.function = function.name
                row.isInlined = function.isInlined
                if function.isInlined {
                    row.callDistance = function.distance
                } else {
                    row.functionDistance = function.distance
                }
                row.line = function.line
                if function.line > 0 {
                    row.file = SourceFile(folder: "/src", name: "Orchard.swift")
                }
                frames.append(row)
            }
            if functions[physical] == nil {
                frames.append(
                    SymbolicatedFrame(physical: physical, frame: frame, status: .missingImage))
            }
        }
        return SymbolicatedDiagnostic(
            kind: kind, details: details, status: .partial, culprit: nil, fingerprint: "",
            form: tree.form, stacks: [], frames: frames, images: [], remarks: [])
    }
}

extension CrashReport {
    /// The edits of a report that is the only one in its file.
    package func edits(
        with result: SymbolicatedDiagnostic, options: RewritingOptions = []
    ) -> [Edit] {
        var budget = EditBudget(fileByteCount: 0)
        return edits(with: result, options: options, budget: &budget)
    }
}
