/// The topics of Kafka that the nodes of a cluster consume.
public struct StreamConfiguration: Hashable, Sendable {
    public var kafka: KafkaConfiguration
    /// The consumer group of all nodes.
    public var group: String
}

extension StreamConfiguration {
    private static let prefix = "receive.kafka."
    private static let brokersKey = "\(prefix)brokers"

    /// - Parameters:
    ///   - isShared: Whether a database and a bucket are set.
    ///   - problems: Conflicts between settings are appended to it.
    /// - Returns: `nil` unless brokers are set.
    init?(
        _ reader: SettingReader, isShared: Bool, exports: [ExporterConfiguration],
        problems: inout [SettingProblem]
    ) {
        guard let brokers = reader.text(Self.brokersKey) else {
            if let key = SettingTable.stream.map(\.key).first(where: reader.isGiven) {
                problems.append(
                    reader.problem(
                        key, "has no effect without \(Self.brokersKey)",
                        suggestion: "set \(Self.brokersKey), or remove it"))
            }
            return nil
        }
        do throws(SettingProblem) {
            kafka = try KafkaConfiguration(reader, brokers: brokers, prefix: Self.prefix)
        } catch {
            problems.append(error)
            return nil
        }
        group = reader.value("receive.kafka.group") { $0 }
        problems += self.problems(reader, isShared: isShared, exports: exports)
    }

    private func problems(
        _ reader: SettingReader, isShared: Bool, exports: [ExporterConfiguration]
    ) -> [SettingProblem] {
        var problems: [SettingProblem] = []
        if !isShared {
            problems.append(
                reader.problem(
                    Self.brokersKey, "is set without database.url and blobs.url",
                    suggestion: "set both, or remove receive.kafka"))
        }
        if exports.isEmpty {
            problems.append(
                reader.problem(
                    Self.brokersKey, "is set without an exporter",
                    suggestion: "set export, because messages are done once exporters have them"))
        }
        for export in exports where isLoop(export) {
            problems.append(
                reader.problem(
                    Self.brokersKey, "has a topic that exporter '\(export.name)' writes to",
                    suggestion: "use other topics for one of them"))
        }
        return problems
    }

    /// Whether an exporter writes to a topic that is consumed.
    private func isLoop(_ export: ExporterConfiguration) -> Bool {
        guard case .kafka(let target, _, _) = export.destination else { return false }
        let brokers = Set(kafka.brokers.split(separator: ","))
        return !brokers.isDisjoint(with: target.brokers.split(separator: ","))
            && !kafka.topics.isDisjoint(with: target.topics)
    }
}

extension KafkaConfiguration {
    /// The topics of all signals.
    var topics: Set<String> { [logsTopic, tracesTopic, metricsTopic] }
}
