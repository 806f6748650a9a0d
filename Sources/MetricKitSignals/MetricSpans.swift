import CallStacks
import JSONText
import MetricKitPayloads
import OTLP

/// The spans of a metric payload: one for its period with all metrics, and one for each signpost.
struct MetricSpans {
    private(set) var spans: [Span] = []
    let resource: Resource
    private(set) var problems = ConversionProblems()

    /// The maximum number of signposts that become spans; MetricKit itself keeps fewer than 300.
    static let signpostLimit = 1_000

    /// - Parameter damage: The parts of the payload's text that cannot be read.
    init(_ payload: JSONValue, damage: [UnreadPart], context: ConversionContext) {
        resource = PayloadResource([payload["metaData"], payload].compactMap { $0 }).resource
        var signal = SignalAttributes()
        let period = PayloadPeriod(of: payload, arrival: context.arrival)
        Self.addHeader(of: payload, period: period, to: &signal)
        for row in MetricTable.rows {
            Self.add(row, of: payload, to: &signal)
        }
        Self.leftovers.carry(from: payload, into: &signal)
        for part in damage { signal.add(problem: "\(part.problem)") }
        let signposts = Self.signposts(of: payload, signal: &signal)
        add(
            "MXMetricPayload", from: period.start, to: period.stop, signal: signal, context: context
        )
        for (index, signpost) in signposts.enumerated() {
            add(signpost, at: "signpostMetrics[\(index)]", context: context)
        }
    }

    private static let leftovers = UnmappedMembers(
        known: MetricTable.ignoredPaths
            + MetricTable.rows.flatMap { row in row.paths.map { $0.joined(separator: ".") } })
    private static let signpostLeftovers = UnmappedMembers(
        known: SignpostTable.ignoredPaths + SignpostTable.rows.map(\.path))

    /// Adds the attributes that always have a value or depend on the time of reception.
    private static func addHeader(
        of payload: JSONValue, period: PayloadPeriod, to signal: inout SignalAttributes
    ) {
        let versions = payload["multipleAppVersions"]
        if let versions, versions.kind != .null, versions.flag == nil {
            signal.add(
                MetricTable.includesSeveralVersions, versions, at: "multipleAppVersions", as: .flag)
        } else {
            signal.set(MetricTable.includesSeveralVersions, .boolValue(versions?.flag ?? false))
        }
        signal.add(
            period.begin, key: MetricTable.timestampBegin, payload: payload,
            member: "timeStampBegin")
        signal.add(
            period.end, key: MetricTable.timestampEnd, payload: payload, member: "timeStampEnd")
    }

    private static func add(
        _ row: MetricTable.Row, of payload: JSONValue, to signal: inout SignalAttributes
    ) {
        if let (json, path) = row.value(in: payload) {
            signal.add(row.attribute, json, at: path, as: row.reading)
        } else if row.reading == .count, row.parent(in: payload)?.kind == .object {
            // Payloads omit counts of zero, but the instrumentation sends them.
            signal.set(row.attribute, .intValue(0))
        }
    }

    private static func signposts(
        of payload: JSONValue, signal: inout SignalAttributes
    ) -> [JSONValue] {
        guard let list = payload["signpostMetrics"], list.kind != .null else { return [] }
        guard list.kind == .array else {
            signal.addUnread(list, at: "signpostMetrics", because: "is not a list")
            return []
        }
        let signposts = Array(list.elements.prefix(signpostLimit + 1))
        if signposts.count > signpostLimit {
            signal.add(problem: "signpostMetrics: only the first \(signpostLimit) are read")
        }
        return Array(signposts.prefix(signpostLimit))
    }

    private mutating func add(_ signpost: JSONValue, at path: String, context: ConversionContext) {
        var signal = SignalAttributes()
        if signpost.kind == .object {
            for row in SignpostTable.rows {
                guard let json = signpost.member(at: row.path.split(separator: ".")) else {
                    continue
                }
                signal.add(row.attribute, json, at: row.path, as: row.reading)
            }
            Self.signpostLeftovers.carry(from: signpost, into: &signal)
        } else {
            signal.addUnread(signpost, at: path, because: "is not an object")
        }
        add(
            "MXSignpostMetric", from: context.arrival, to: context.arrival, signal: signal,
            context: context)
    }

    private mutating func add(
        _ name: String, from start: UnixTime, to stop: UnixTime, signal: SignalAttributes,
        context: ConversionContext
    ) {
        spans.append(
            context.span(
                name, position: spans.count, from: start, to: stop, attributes: signal.finished))
        problems.add(signal.problems)
    }
}

extension SignalAttributes {
    /// Adds an end of the period, in seconds since 1970.
    fileprivate mutating func add(
        _ moment: PayloadPeriod.Moment, key: String, payload: JSONValue, member: String
    ) {
        for remark in moment.remarks { add(remark) }
        if let time = moment.time { set(key, .doubleValue(time.seconds)) }
        if moment.isUnread, let json = payload[member] {
            addUnread(json, at: member, because: "is not a date")
        }
    }
}

extension MetricTable.Row {
    /// The paths to the value: histograms have names with and without `Key` at the end.
    var paths: [[String]] {
        guard case .mean = reading, let last = path.last else { return [path] }
        let suffix = "Key"
        let other = last.hasSuffix(suffix) ? String(last.dropLast(suffix.count)) : last + suffix
        return [path, path.dropLast() + [other]]
    }

    func value(in payload: JSONValue) -> (JSONValue, path: String)? {
        for path in paths {
            if let value = payload.member(at: path) { return (value, path.joined(separator: ".")) }
        }
        return nil
    }

    func parent(in payload: JSONValue) -> JSONValue? { payload.member(at: path.dropLast()) }
}

extension JSONValue {
    func member(at path: some Sequence<some StringProtocol>) -> JSONValue? {
        var value = self
        for name in path {
            guard let member = value[String(name)] else { return nil }
            value = member
        }
        return value
    }
}
