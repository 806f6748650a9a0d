import CallStacks
import JSONText

/// Flame graphs in the file format of speedscope, one profile per thread.
///
/// https://www.speedscope.app/file-format-schema.json
public struct SpeedscopeProfile: Sendable {
    /// One thread of a profile.
    public struct Thread: Sendable {
        public let name: String
        public let graph: FlameGraph

        public init(name: String, graph: FlameGraph) {
            self.name = name
            self.graph = graph
        }
    }

    /// The maximum number of frames in the samples of all threads. The weights of further stacks
    /// are added up in one sample per thread.
    public static let sampledFrameLimit = 20_000_000

    private var name: String
    private var threads: [Thread]
    private let exporter: String
    private let sampledFrameLimit: Int

    public init(
        name: String, threads: [Thread], exporter: String,
        sampledFrameLimit: Int = Self.sampledFrameLimit
    ) {
        self.name = name
        self.threads = threads
        self.exporter = exporter
        self.sampledFrameLimit = sampledFrameLimit
    }

    /// Joins the profiles of several reports into one, with the threads of all.
    ///
    /// - Precondition: There is at least one.
    public init(joining profiles: [Self]) {
        precondition(!profiles.isEmpty, "no profiles to join")
        self = profiles[0]
        guard profiles.count > 1 else { return }
        threads = profiles.flatMap { profile in
            profile.threads.map { Thread(name: "\(profile.name), \($0.name)", graph: $0.graph) }
        }
        name = "\(profiles.count) reports"
    }

    /// The estimated size of ``bytes``.
    public var byteCount: Int { threads.reduce(0) { $0 + $1.graph.nodes.count * 64 } }

    public var bytes: [UInt8] {
        var frames = FrameTable()
        let numbers = threads.map { thread in
            zip(thread.graph.functions, locations(of: thread.graph)).map {
                frames.number(of: $0, location: $1)
            }
        }
        var frameBudget = sampledFrameLimit
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("$schema")
        writer.string("https://www.speedscope.app/file-format-schema.json")
        writer.key("name")
        writer.string(name)
        writer.key("exporter")
        writer.string(exporter)
        writer.key("activeProfileIndex")
        writer.unsigned(0)
        writer.key("profiles")
        writer.beginArray()
        for (thread, numbers) in zip(threads, numbers) {
            let samples = Samples(
                of: thread.graph, numbers: numbers, omission: frames.omission,
                frameBudget: &frameBudget)
            samples.write(named: thread.name, to: &writer)
        }
        writer.endArray()
        frames.write(to: &writer)
        writer.endObject()
        return writer.bytes
    }

    /// Returns the location of each function, that of its first node.
    private func locations(of graph: FlameGraph) -> [FlameGraph.SourceLocation?] {
        var locations: [FlameGraph.SourceLocation?] = Array(
            repeating: nil, count: graph.functions.count)
        for node in graph.nodes where locations[node.function] == nil {
            locations[node.function] = node.location
        }
        return locations
    }
}

/// The functions of the profile, each once (`shared.frames`).
private struct FrameTable {
    private var functions: [(function: FlameFunction, location: FlameGraph.SourceLocation?)] = []
    private var numbers: [FlameFunction: Int] = [:]

    /// The index of the frame that replaces omitted frames and stacks.
    let omission = 0

    mutating func number(of function: FlameFunction, location: FlameGraph.SourceLocation?) -> Int {
        if let number = numbers[function] { return number }
        functions.append((function, location))
        numbers[function] = functions.count
        return functions.count
    }

    func write(to writer: inout JSONWriter) {
        writer.key("shared")
        writer.beginObject()
        writer.key("frames")
        writer.beginArray()
        writer.beginObject()
        writer.key("name")
        writer.string("(omitted)")
        writer.endObject()
        for (function, location) in functions { write(function, location: location, to: &writer) }
        writer.endArray()
        writer.endObject()
    }

    private func write(
        _ function: FlameFunction, location: FlameGraph.SourceLocation?,
        to writer: inout JSONWriter
    ) {
        writer.beginObject()
        writer.key("name")
        writer.string(function.label)
        if let location {
            writer.key("file")
            writer.string(location.file.path)
            if location.line > 0 {
                writer.key("line")
                writer.unsigned(UInt64(location.line))
            }
        }
        writer.endObject()
    }
}

/// The stacks of one thread with their own weights.
private struct Samples {
    private var stacks: [[Int]] = []
    private var weights: [UInt64] = []
    private let total: UInt64

    init(of graph: FlameGraph, numbers: [Int], omission: Int, frameBudget: inout Int) {
        var (stacks, weights): ([[Int]], [UInt64]) = ([], [])
        var (open, rest, sum): ([Int], UInt64, UInt64) = ([], 0, 0)
        var budget = frameBudget
        graph.visit { node in
            open.append(numbers[graph.nodes[node].function])
            let own = graph.nodes[node].own
            guard own > 0 else { return }
            sum.add(own)
            guard budget > 0 else { return rest.add(own) }
            stacks.append(DeepStack.shortened(open, omission: omission))
            weights.append(own)
            budget -= stacks[stacks.count - 1].count
        } leave: { _ in
            open.removeLast()
        }
        if rest > 0 {
            stacks.append([omission])
            weights.append(rest)
        }
        frameBudget = budget
        (self.stacks, self.weights, total) = (stacks, weights, sum)
    }

    func write(named name: String, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("type")
        writer.string("sampled")
        writer.key("name")
        writer.string(name)
        writer.key("unit")
        writer.string("none")
        writer.key("startValue")
        writer.unsigned(0)
        writer.key("endValue")
        writer.unsigned(total)
        writer.key("samples")
        writer.beginArray()
        for stack in stacks {
            writer.beginArray()
            for number in stack { writer.unsigned(UInt64(number)) }
            writer.endArray()
        }
        writer.endArray()
        writer.key("weights")
        writer.beginArray()
        for weight in weights { writer.unsigned(weight) }
        writer.endArray()
        writer.endObject()
    }
}
