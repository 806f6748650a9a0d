import ByteReading
import CallStacks

/// The stored form: a version, the functions, then the nodes with the distance to their caller and
/// their own weight. Numbers are LEB128; each string follows its length.
extension SampledStacks {
    private static let version: UInt64 = 1

    private enum Kind: UInt64 { case function, offset, address, unknown }

    public var bytes: [UInt8] {
        var writer = StackWriter()
        writer.add(Self.version)
        writer.add(UInt64(functions.count))
        for (function, location) in zip(functions, locations) {
            write(function, location: location, to: &writer)
        }
        writer.add(UInt64(nodes.count))
        for (index, node) in nodes.enumerated() {
            writer.add(UInt64(node.function))
            writer.add(UInt64(node.caller.map { index - $0 } ?? 0))
            writer.add(node.own)
        }
        return writer.bytes
    }

    private func write(
        _ function: FlameFunction, location: FlameGraph.SourceLocation?,
        to writer: inout StackWriter
    ) {
        writer.add((function.isInApp ? 1 : 0) | (function.isInlined ? 2 : 0))
        writer.add(function.image ?? "")
        switch function.name {
        case .function(let name):
            writer.add(Kind.function.rawValue)
            writer.add(name)
        case .offset(let offset, let image):
            writer.add(Kind.offset.rawValue)
            writer.add(offset.rawValue)
            writer.add(image?.description ?? "")
        case .address(let address):
            writer.add(Kind.address.rawValue)
            writer.add(address.rawValue)
        case .unknown: writer.add(Kind.unknown.rawValue)
        }
        writer.add(location?.file.name ?? "")
        writer.add(UInt64(location?.line ?? 0))
    }

    /// Returns `nil` if the bytes are damaged or of another version.
    public init?(_ bytes: [UInt8]) {
        var reader = StackReader(bytes)
        guard reader.number() == Self.version, let functionCount = reader.count() else {
            return nil
        }
        var functions: [FlameFunction] = []
        var locations: [FlameGraph.SourceLocation?] = []
        for _ in 0..<functionCount {
            guard let function = Self.function(&reader), let file = reader.text(),
                let line = reader.number().flatMap(UInt32.init(exactly:))
            else { return nil }
            functions.append(function)
            locations.append(
                file.isEmpty
                    ? nil
                    : FlameGraph.SourceLocation(
                        file: SourceFile(folder: "", name: file), line: line))
        }
        guard let nodes = Self.nodes(&reader, functionCount: functionCount) else { return nil }
        self.init(functions: functions, locations: locations, nodes: nodes)
    }

    private static func function(_ reader: inout StackReader) -> FlameFunction? {
        guard let flags = reader.number(), let image = reader.text(),
            let kind = reader.number().flatMap(Kind.init), let name = name(kind, reader: &reader)
        else { return nil }
        return FlameFunction(
            image: image.isEmpty ? nil : image, name: name, isInlined: flags & 2 != 0,
            isInApp: flags & 1 != 0)
    }

    private static func name(_ kind: Kind, reader: inout StackReader) -> FlameFunction.Name? {
        switch kind {
        case .function: return reader.text().map { .function($0) }
        case .offset:
            guard let offset = reader.number(), let image = reader.text() else { return nil }
            return .offset(ImageOffset(offset), image: ImageID(image))
        case .address: return reader.number().map { .address(RuntimeAddress($0)) }
        case .unknown: return .unknown
        }
    }

    private static func nodes(_ reader: inout StackReader, functionCount: Int) -> [Node]? {
        guard let count = reader.count() else { return nil }
        var nodes: [Node] = []
        nodes.reserveCapacity(count)
        for index in 0..<count {
            guard let function = reader.number(), function < functionCount,
                let distance = reader.number(), distance <= index, let own = reader.number()
            else { return nil }
            nodes.append(
                Node(
                    function: Int(function), caller: distance == 0 ? nil : index - Int(distance),
                    own: own))
        }
        return nodes
    }
}

private struct StackWriter {
    private(set) var bytes: [UInt8] = []

    mutating func add(_ number: UInt64) { bytes.append(uleb128: number) }

    mutating func add(_ text: String) {
        add(UInt64(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }
}

private struct StackReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func number() -> UInt64? {
        bytes.uleb128(at: &position, before: bytes.count)
    }

    /// Reads the number of items that follow, or returns `nil` if the remaining bytes are too few
    /// for items of at least one byte.
    mutating func count() -> Int? {
        guard let number = number(), number <= bytes.count - position else { return nil }
        return Int(number)
    }

    mutating func text() -> String? {
        guard let count = count() else { return nil }
        defer { position += count }
        return String(decoding: bytes[position..<position + count], as: UTF8.self)
    }
}
