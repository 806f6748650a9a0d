import CallStacks
import DebugFiles
import PeerComparison
import SymbolStores

/// Comparisons as a Markdown table, followed by examples of the differences.
struct ComparisonTable {
    private let examplesLimit: Int
    private var rows: [(name: String, comparison: PeerComparison)] = []

    /// The maximum share of locations in a slice that may differ for an unknown reason: one in a
    /// thousand.
    private static let unexplainedLimit = 0.001

    init(examplesLimit: Int) { self.examplesLimit = examplesLimit }

    /// Whether a slice has too many unexplained differences.
    var hasFailed: Bool {
        rows.contains { $0.comparison.share(of: .unexplained) > Self.unexplainedLimit }
    }

    mutating func add(_ comparison: PeerComparison, of slice: DebugFileInspection.Slice) {
        let file = slice.path.split(separator: "/").last ?? ""
        rows.append(("\(file) \(slice.file.architecture.name)", comparison))
    }

    var text: String {
        // Kinds that no slice has would only make the table wide.
        let kinds = Agreement.allCases.filter { kind in
            [.equal, .unexplained].contains(kind)
                || rows.contains { $0.comparison.counts[kind] != nil }
        }
        let head = ["file", "places"] + kinds.map(\.rawValue) + ["explained"]
        let ruler = ["---"] + head.dropFirst().map { _ in "---:" }
        let body = rows.map { name, comparison in
            [name, String(comparison.total)]
                + kinds.map { String(comparison.counts[$0, default: 0]) }
                + [Self.percent(1 - comparison.share(of: .unexplained))]
        }
        let table = ([head, ruler] + body).map { "| " + $0.joined(separator: " | ") + " |\n" }
        return table.joined() + examples(of: kinds)
    }

    private func examples(of kinds: [Agreement]) -> String {
        var text = ""
        for (name, comparison) in rows {
            for kind in kinds where kind != .equal {
                for example in comparison.examples[kind, default: []] {
                    text += "\n- \(name), \(kind.rawValue): \(example)"
                }
            }
        }
        return text.isEmpty ? "" : "\nOurs ≠ those of llvm-symbolizer:\n\(text)\n"
    }

    /// Cut, not rounded, so that 100 % means all.
    private static func percent(_ share: Double) -> String {
        let thousandths = Int(share * 100_000)
        let fraction = String(thousandths % 1_000 + 1_000).dropFirst()
        return "\(thousandths / 1_000).\(fraction) %"
    }
}

extension PeerComparison {
    fileprivate func share(of kind: Agreement) -> Double {
        total == 0 ? 0 : Double(counts[kind, default: 0]) / Double(total)
    }
}
