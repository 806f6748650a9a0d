import DebugFiles
import SymbolStores

extension DebugFileInspection.Slice {
    /// The information that the slice resolves, and the reason if it lacks some: `function names
    /// only: no debug information`.
    var capability: String {
        if file.kind == .elfSupplement {
            return "nothing on its own: it has names for the debug files that refer to it"
        }
        if file.splitUnits != nil, !file.hasDebugInformation {
            return "nothing on its own: its debug information belongs to the file that refers to it"
        }
        var reasons = [shortcoming]
        if hidesNames { reasons.append("names are hidden") }
        if file.id == nil { reasons.append("no UUID that a report could name") }
        let why = reasons.compactMap(\.self).joined(separator: ", ")
        return why.isEmpty ? resolvedParts : "\(resolvedParts): \(why)"
    }

    private var resolvedParts: String {
        switch summary.quality {
        case .full where !summary.hasInlines: return "functions and lines"
        case .lines:
            let functions =
                summary.hasFunctions ? "functions" : summary.hasSymbols ? "function names" : nil
            let parts = [functions, summary.hasLines ? "lines" : nil]
            return parts.compactMap(\.self).joined(separator: " and ") + " only"
        default: return summary.quality.capability
        }
    }

    /// Why the quality is not better, or `nil` if it is the best.
    private var shortcoming: String? {
        switch summary.quality {
        case .full: summary.hasInlines ? nil : "no calls are inlined"
        case .lines: missingPart
        case .symbols, .exportedSymbols: missingInformation
        case .nothing: "\(missingInformation), and no symbols"
        }
    }

    private var missingInformation: String {
        file.hasDebugInformation
            ? "its debug information cannot be read" : "no debug information"
    }

    private var missingPart: String {
        if !summary.hasFunctions { return "no functions in its debug information" }
        if summary.unitsFailed > 0 {
            let count = summary.unitsRead + summary.unitsFailed
            return "\(summary.unitsFailed) of \(count) units cannot be read"
        }
        return summary.hasLines
            ? "the rest of its debug information is in other files" : "no line tables"
    }
}

extension DebugFileSummary.Quality {
    fileprivate var capability: String {
        switch self {
        case .nothing: "nothing"
        case .exportedSymbols: "names of exported functions only"
        case .symbols: "function names only"
        case .lines: "functions or lines, not all of them"
        case .full: "functions, lines and inlined calls"
        }
    }
}

/// A one-line summary of many slices:
///
///     24 slices: 12 resolve functions, lines and inlined calls; 10 function names only; 2 nothing
struct SliceSummary {
    /// The maximum number of slices for which no summary is printed.
    static let sliceLimit = 10

    /// The line, or `nil` if there are few slices.
    let text: String?

    init(_ slices: [DebugFileInspection.Slice]) {
        guard slices.count > Self.sliceLimit else {
            text = nil
            return
        }
        let counts = Dictionary(grouping: slices, by: \.summary.quality).mapValues(\.count)
        var parts = counts.sorted { $0.key > $1.key }.map { "\($0.value) \($0.key.capability)" }
        parts[0].replace(" ", with: " resolve ", maxReplacements: 1)
        let warned = slices.count { !$0.warnings.isEmpty }
        if warned > 0 { parts.append("\(warned) with warnings") }
        text = "\(slices.count) slices: \(parts.joined(separator: "; "))\n"
    }
}
