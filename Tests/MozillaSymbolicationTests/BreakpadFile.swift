/// A Breakpad symbol file, parsed as its readers do.
struct BreakpadFile {
    struct Frame: Hashable {
        var function: String
        var file: String?
        var line: UInt32
    }

    struct Inline {
        var depth: Int
        var line: UInt32
        var file: Int
        var origin: Int
        var ranges: [Range<UInt64>]
    }

    struct Line {
        var range: Range<UInt64>
        var line: UInt32
        var file: Int
    }

    struct Function {
        var range: Range<UInt64>
        var name: String
        var inlines: [Inline] = []
        var lines: [Line] = []
    }

    struct Damage: Error {
        var line: String
    }

    private(set) var module: [String] = []
    private(set) var codeID: String?
    private(set) var files: [Int: String] = [:]
    private(set) var origins: [Int: String] = [:]
    private(set) var functions: [Function] = []
    private(set) var publics: [(address: UInt64, name: String)] = []

    init(_ text: String) throws {
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
            try add(String(line))
        }
    }

    private mutating func add(_ line: String) throws {
        /// Returns the first word of the line and a number of others. The last one contains the
        /// rest of the line.
        func fields(_ count: Int) throws -> [String] {
            let fields = line.split(separator: " ", maxSplits: count).map(String.init)
            guard fields.count == count + 1 else { throw Damage(line: line) }
            return fields
        }
        func hex(_ text: String) throws -> UInt64 {
            guard let number = UInt64(text, radix: 16) else { throw Damage(line: line) }
            return number
        }
        func decimal(_ text: String) throws -> Int {
            guard let number = Int(text) else { throw Damage(line: line) }
            return number
        }
        func range(_ start: String, _ size: String) throws -> Range<UInt64> {
            try hex(start)..<hex(start) + hex(size)
        }
        switch line.split(separator: " ", maxSplits: 1).first ?? "" {
        case "MODULE": module = Array(try fields(4).dropFirst())
        case "INFO": codeID = try fields(2)[2]
        case "FILE":
            let parts = try fields(2)
            files[try decimal(parts[1])] = parts[2]
        case "INLINE_ORIGIN":
            let parts = try fields(2)
            origins[try decimal(parts[1])] = parts[2]
        case "FUNC":
            let parts = try fields(4)
            functions.append(Function(range: try range(parts[1], parts[2]), name: parts[4]))
        case "INLINE":
            let parts = line.split(separator: " ").map(String.init)
            guard parts.count >= 5, parts.count % 2 == 1, !functions.isEmpty else {
                throw Damage(line: line)
            }
            let ranges = try stride(from: 5, to: parts.count, by: 2).map {
                try range(parts[$0], parts[$0 + 1])
            }
            functions[functions.count - 1].inlines.append(
                Inline(
                    depth: try decimal(parts[1]), line: UInt32(try decimal(parts[2])),
                    file: try decimal(parts[3]), origin: try decimal(parts[4]), ranges: ranges))
        case "PUBLIC":
            let parts = try fields(3)
            publics.append((try hex(parts[1]), parts[3]))
        default:
            guard !functions.isEmpty else { throw Damage(line: line) }
            let parts = try fields(3)
            functions[functions.count - 1].lines.append(
                Line(
                    range: try range(parts[0], parts[1]), line: UInt32(try decimal(parts[2])),
                    file: try decimal(parts[3])))
        }
    }

    /// The frames at an address, innermost first, or `nil` where no `FUNC` record has it.
    func frames(at address: UInt64) -> [Frame]? {
        guard let function = functions.first(where: { $0.range.contains(address) })
        else { return nil }
        let calls = function.inlines.filter { $0.ranges.contains { $0.contains(address) } }
            .sorted { $0.depth < $1.depth }
        let own = function.lines.first { $0.range.contains(address) }
        var names = [function.name]
        var places: [(file: Int, line: UInt32)?] = []
        for call in calls {
            places.append((call.file, call.line))
            names.append(origins[call.origin] ?? "?")
        }
        places.append(own.map { ($0.file, $0.line) })
        return zip(names, places).reversed().map { name, place in
            Frame(function: name, file: place.flatMap { files[$0.file] }, line: place?.line ?? 0)
        }
    }
}
