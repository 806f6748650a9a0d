/// Which of its two text formats a reader of metrics gets.
public enum ExpositionFormat: Hashable, Sendable {
    /// Prometheus text 0.0.4.
    case prometheus
    /// OpenMetrics 1.0.
    case openMetrics

    /// OpenMetrics if an `Accept` header names it and does not refuse it with `q=0`; else the text
    /// that every reader knows.
    public init(accept: String?) {
        let isWanted = (accept ?? "").lowercased().split(separator: ",").contains { choice in
            let parts = choice.split(separator: ";").map { $0.filter { !$0.isWhitespace } }
            guard parts.first == "application/openmetrics-text" else { return false }
            let weight = parts.last { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) }
            return weight != 0
        }
        self = isWanted ? .openMetrics : .prometheus
    }

    /// What the reply says that it is.
    public var contentType: String {
        switch self {
        case .prometheus: "text/plain; version=0.0.4; charset=utf-8"
        case .openMetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8"
        }
    }
}
