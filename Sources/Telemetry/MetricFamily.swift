/// What a metric is, in the words of the exposition format.
enum MetricKind: String {
    case counter, gauge, histogram
}

/// What the program uses a metric for, which decides its kind and how its name ends.
enum MetricUse {
    case counter, gauge, histogram, timer

    var kind: MetricKind {
        switch self {
        case .counter: .counter
        case .gauge: .gauge
        case .histogram, .timer: .histogram
        }
    }
}

/// All series of one name.
struct MetricFamily {
    let kind: MetricKind
    let meaning: String?
    private(set) var series: [SeriesLabels: any MetricSeries] = [:]
    /// The series of every label set that there was no room for.
    private var rest: (any MetricSeries)?

    init(kind: MetricKind, meaning: String?) {
        self.kind = kind
        self.meaning = meaning
    }

    /// The series with some labels, which is made if there is none and fewer than `limit`; `nil` if
    /// the family is one of another kind.
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

/// The values behind one name and one set of labels.
protocol MetricSeries: AnyObject, Sendable {
    func write(to text: inout ExpositionText, name: String, labels: SeriesLabels)
}
