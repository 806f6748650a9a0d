import JSONText
public import Problems

/// The body of a symbolication request: jobs with modules, and stacks of module numbers and
/// offsets.
///
///     {"jobs": [{"memoryMap": [["Shop", "67E9247C814E392BA027DBDE6748FCBF0"]],
///                "stacks": [[[0, 100372], [-1, 65802]]]}]}
///
/// A job may also be the whole body.
public struct SymbolicationQuery: Sendable {
    struct Module: Hashable, Sendable {
        var name: String
        var debugID: String

        /// The name in the response.
        var key: String { "\(name)/\(debugID)" }
    }

    struct Frame: Hashable, Sendable {
        /// The index of a module of the job, or `nil` for -1, an unknown module.
        var module: Int?
        /// The offset, or `nil` for -1, an unknown one.
        var offset: UInt64?
    }

    struct Job: Sendable {
        var modules: [Module]
        var stacks: [[Frame]]
    }

    let jobs: [Job]

    /// The maximum number of frames in a request, and of modules.
    public static let frameLimit = 250_000
    public static let moduleLimit = 10_000

    /// - Throws: ``QueryError`` if the body does not have this form.
    public init(_ body: [UInt8]) throws(QueryError) {
        let document = JSONDocument(body)
        guard document.failure == nil, let root = document.root, root.isWhole, root.kind == .object
        else { throw .malformed("body", "not a JSON object") }
        var reader = JobReader()
        guard let list = root["jobs"] else {
            jobs = [try reader.job(root)]
            return
        }
        guard list.kind == .array else { throw .malformed("jobs", "not a list") }
        var jobs: [Job] = []
        for element in list.elements { jobs.append(try reader.job(element)) }
        self.jobs = jobs
    }
}

/// Reads jobs, and limits the total numbers of their frames and modules.
private struct JobReader {
    typealias Query = SymbolicationQuery

    private var frameCount = 0
    private var moduleCount = 0

    mutating func job(_ value: JSONValue) throws(QueryError) -> Query.Job {
        guard let map = value["memoryMap"], map.kind == .array else {
            throw .malformed("memoryMap", "missing or not a list")
        }
        guard let list = value["stacks"], list.kind == .array else {
            throw .malformed("stacks", "missing or not a list")
        }
        var job = Query.Job(modules: [], stacks: [])
        for element in map.elements { job.modules.append(try module(element)) }
        for stack in list.elements {
            guard stack.kind == .array else { throw .malformed("stacks", "a stack is not a list") }
            var frames: [Query.Frame] = []
            for element in stack.elements {
                frames.append(try frame(element, moduleCount: job.modules.count))
            }
            job.stacks.append(frames)
        }
        return job
    }

    private mutating func module(
        _ value: JSONValue
    ) throws(QueryError) -> Query.Module {
        moduleCount += 1
        guard moduleCount <= Query.moduleLimit else {
            throw .tooLarge(
                "memoryMap", "more than \(Query.moduleLimit) modules",
                suggestion: "send fewer at a time")
        }
        let texts = Array(value.elements)
        guard texts.count == 2, let name = texts[0].string, let id = texts[1].string else {
            throw .malformed("memoryMap", "a module is not a list of name and debug ID")
        }
        guard name.utf8.allSatisfy(Self.isNameCharacter) else {
            throw .malformed("memoryMap", "a module name has an invalid character")
        }
        guard id.utf8.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }) else {
            throw .malformed("memoryMap", "a debug ID is not hexadecimal")
        }
        return Query.Module(name: name, debugID: id)
    }

    private mutating func frame(
        _ value: JSONValue, moduleCount: Int
    ) throws(QueryError) -> Query.Frame {
        frameCount += 1
        guard frameCount <= Query.frameLimit else {
            throw .tooLarge(
                "stacks", "more than \(Query.frameLimit) frames",
                suggestion: "send fewer at a time")
        }
        let numbers = Array(value.elements)
        guard numbers.count == 2, let module = Self.number(numbers[0]),
            let offset = Self.number(numbers[1])
        else { throw .malformed("stacks", "a frame is not a list of module number and offset") }
        if let module, module >= UInt64(moduleCount) {
            throw .malformed("stacks", "module number \(module) is not in memoryMap")
        }
        return Query.Frame(module: module.map { Int($0) }, offset: offset)
    }

    /// Returns a number from 0, an inner `nil` for -1, and an outer one for anything else.
    private static func number(_ value: JSONValue) -> UInt64?? {
        switch value.number {
        case .unsigned(let number): .some(number)
        case .negative(-1): .some(nil)
        default: nil
        }
    }

    private static func isNameCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "_.+{}@<> ~[]:-".utf8.contains(byte)
        }
    }
}
