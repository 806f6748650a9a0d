/// The type of a metric in the exposition format.
enum MetricKind: String {
    case counter, gauge, histogram
}

/// The instrument of the program, which determines the type and the suffix of the name.
enum MetricInstrument {
    case counter, gauge, histogram, timer

    var kind: MetricKind {
        switch self {
        case .counter: .counter
        case .gauge: .gauge
        case .histogram, .timer: .histogram
        }
    }
}

/// All series of a metric.
struct MetricFamily {
    let kind: MetricKind
    let description: String?
    private(set) var series: [SeriesLabels: any MetricSeries] = [:]
    /// The series shared by all label sets beyond the limit.
    private var rest: (any MetricSeries)?

    init(kind: MetricKind, description: String?) {
        self.kind = kind
        self.description = description
    }

    /// Returns the series with the given labels, creating it if there are fewer than `limit`, or
    /// `nil` if the family is of another kind.
    mutating func series<Series: MetricSeries>(
        _ labels: SeriesLabels, limit: Int, make: () -> Series
    ) -> Series? {
        if let known = series[labels] { return known as? Series }
        if series.count < limit {
            let made = make()
            series[labels] = made
            return made
        }
        let others = labels.replacingValues(with: "other")
        let rest = rest ?? series[others] ?? make()
        series[others] = rest
        self.rest = rest
        return rest as? Series
    }
}

/// The values of one label set.
protocol MetricSeries: AnyObject, Sendable {
    func write(to writer: inout ExpositionWriter, name: String, labels: SeriesLabels)
}
