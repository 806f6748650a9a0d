/// A strict parser of the exposition format: it rejects everything that a scraper may reject.
public struct Exposition {
    public struct Sample: Equatable {
        public var name: String
        public var labels: [(name: String, value: String)]
        public var value: Double

        public static func == (left: Self, right: Self) -> Bool {
            left.name == right.name && left.value == right.value
                && left.labels.elementsEqual(right.labels, by: ==)
        }
    }

    public struct Family {
        public var kind: String
        public var meaning: String?
        public var samples: [Sample] = []
    }

    public struct Refusal: Error { var line: String }

    public private(set) var families: [String: Family] = [:]
    private var current = ""
    private var meanings: [String: String] = [:]

    public init(_ text: String) throws {
        guard text.hasSuffix("\n") else { throw Refusal(line: "no line break at the end") }
        for line in text.dropLast().split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("# HELP ") {
                try readMeaning(line)
            } else if line.hasPrefix("# TYPE ") {
                try readKind(line)
            } else {
                try readSample(line)
            }
        }
        for (name, family) in families where family.kind == "histogram" {
            try checkHistograms(name, family.samples)
        }
    }

    /// The value of a series, or `nil` if it is missing.
    public func value(_ name: String, _ labels: [String: String] = [:]) -> Double? {
        let samples = families.values.flatMap(\.samples)
        return samples.first { sample in
            sample.name == name
                && Dictionary(uniqueKeysWithValues: sample.labels.map { ($0.name, $0.value) })
                    == labels
        }?.value
    }

    private mutating func readMeaning(_ line: Substring) throws {
        let words = line.split(separator: " ", maxSplits: 3)
        guard words.count == 4, meanings[String(words[2])] == nil else {
            throw Refusal(line: String(line))
        }
        meanings[String(words[2])] = String(words[3])
    }

    private mutating func readKind(_ line: Substring) throws {
        let words = line.split(separator: " ")
        guard words.count == 4, families[String(words[2])] == nil,
            ["counter", "gauge", "histogram"].contains(words[3]),
            isName(words[2], extra: ":")
        else { throw Refusal(line: String(line)) }
        current = String(words[2])
        families[current] = Family(kind: String(words[3]), meaning: meanings[current])
    }

    private mutating func readSample(_ line: Substring) throws {
        var rest = line
        let sample = try Self.sample(&rest, line: line)
        guard let kind = families[current]?.kind else { throw Refusal(line: String(line)) }
        let endings = kind == "histogram" ? ["_bucket", "_sum", "_count"] : [""]
        let isKnown = families[current]?.samples.contains {
            $0.name == sample.name && $0.labels.elementsEqual(sample.labels, by: ==)
        }
        guard endings.contains(where: { current + $0 == sample.name }), isKnown == false else {
            throw Refusal(line: String(line))
        }
        families[current]?.samples.append(sample)
    }

    private static func sample(_ rest: inout Substring, line: Substring) throws -> Sample {
        let refusal = Refusal(line: String(line))
        let name = rest.prefix { $0 != "{" && $0 != " " }
        guard isName(name, extra: ":") else { throw refusal }
        rest = rest.dropFirst(name.count)
        var labels: [(name: String, value: String)] = []
        if rest.first == "{" {
            rest.removeFirst()
            while rest.first != "}" {
                if !labels.isEmpty, rest.popFirst() != "," { throw refusal }
                labels.append(try label(&rest, refusal))
            }
            rest.removeFirst()
        }
        let names = labels.map(\.name)
        guard Set(names).count == names.count, rest.popFirst() == " ", let value = number(rest)
        else { throw refusal }
        return Sample(name: String(name), labels: labels, value: value)
    }

    private static func label(
        _ rest: inout Substring, _ refusal: Refusal
    ) throws -> (name: String, value: String) {
        let name = rest.prefix { $0 != "=" }
        rest = rest.dropFirst(name.count)
        guard isName(name, extra: ""), rest.popFirst() == "=", rest.popFirst() == "\"" else {
            throw refusal
        }
        var value = ""
        while let character = rest.popFirst(), character != "\"" {
            guard character == "\\" else {
                value.append(character)
                continue
            }
            switch rest.popFirst() {
            case "\\": value.append("\\")
            case "\"": value.append("\"")
            case "n": value.append("\n")
            default: throw refusal
            }
        }
        return (String(name), value)
    }

    private static func number(_ text: Substring) -> Double? {
        switch text {
        case "+Inf": .infinity
        case "-Inf": -.infinity
        case "NaN": .nan
        default: text.contains { $0.isLetter && $0 != "e" } ? nil : Double(text)
        }
    }

    private func isName(_ name: Substring, extra: String) -> Bool {
        Self.isName(name, extra: extra)
    }

    private static func isName(_ name: Substring, extra: String) -> Bool {
        guard let first = name.first, !first.isNumber else { return false }
        return name.allSatisfy {
            $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") || extra.contains($0)
        }
    }

    /// Checks that buckets ascend cumulatively and end with `+Inf`, which equals the count.
    private func checkHistograms(_ name: String, _ samples: [Sample]) throws {
        func key(_ sample: Sample) -> String {
            sample.labels.filter { $0.name != "le" }.map { "\($0.name)=\($0.value)" }.joined()
        }
        for (series, samples) in Dictionary(grouping: samples, by: key) {
            let buckets = samples.filter { $0.name == name + "_bucket" }
            let bounds = buckets.compactMap { $0.labels.last }.compactMap { label in
                label.name == "le" ? Self.number(Substring(label.value)) : nil
            }
            let isRising = zip(buckets, buckets.dropFirst()).allSatisfy { $0.value <= $1.value }
            let isAscending = zip(bounds, bounds.dropFirst()).allSatisfy { $0 < $1 }
            let count = samples.first { $0.name == name + "_count" }?.value
            guard bounds.count == buckets.count, bounds.last == .infinity, isRising, isAscending,
                buckets.last?.value == count, samples.contains(where: { $0.name == name + "_sum" })
            else { throw Refusal(line: "\(name){\(series)}") }
        }
    }
}
