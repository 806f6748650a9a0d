import CallStacks

@testable import CrashFiles

/// A function as a test finds it; its file is `Orchard.swift` where it has a line.
struct FoundFunction {
    var name: String
    var distance: UInt64?
    var line: UInt32 = 0
    var isInlined = false
}

extension Diagnostic {
    /// An answer with functions at some of the physical frames, innermost first, and none elsewhere.
    func answered(_ functions: [Int: [FoundFunction]]) -> SymbolicatedDiagnostic {
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
    /// The changes of a report that has its file for itself.
    func edits(with answer: SymbolicatedDiagnostic, options: WritingOptions = []) -> [Edit] {
        var budget = EditBudget(fileByteCount: 0)
        return edits(with: answer, options: options, &budget)
    }
}
