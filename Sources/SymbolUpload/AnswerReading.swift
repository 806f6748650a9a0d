import CallStacks
import JSONText
import Symbolication

/// Reads what a server says of offsets of one image, perhaps in several answers.
struct AnswerReading {
    private(set) var symbols: AnsweredImage
    private var numbersOfNames: [String: Int] = [:]
    private var numbersOfFiles: [SourceFile: Int] = [:]

    init(of image: ServerImage) {
        symbols = AnsweredImage(
            architecture: image.architecture, isSymbolTableOnly: image.status == .noDebugInfo)
    }

    /// Adds one object of an answer, of any offset of the image.
    mutating func add(_ json: JSONValue, of image: ImageID) {
        guard let offset = json["offset"]?.unsigned.map({ ImageOffset($0) }) else { return }
        var answer = ExactAnswer(image, offset, Self.status(of: json))
        answer.isOutsideCode = json["outside_code"]?.bool ?? false
        if let frames = json["frames"] {
            for frame in frames.elements {
                answer.functions.append(function(frame, at: offset))
                answer.functionStart = Self.start(frame["function_offset"], before: offset)
            }
        }
        symbols.answers[offset] = answer
    }

    /// The name is read as the debug file has it, and made readable here, as that of any symbols is.
    private mutating func function(_ json: JSONValue, at offset: ImageOffset) -> AnsweredFunction {
        let isApproximate = json["approximate"]?.bool ?? false
        let isUnwritten = json["unwritten_file"]?.bool ?? false
        var function = AnsweredFunction(
            status: Self.status(of: json), name: json["mangled"]?.string.map { number(ofName: $0) },
            file: SourceFile(json).map { number(ofFile: $0) }, line: Self.number(json["line"]),
            column: Self.number(json["column"]), isApproximate: isApproximate,
            isInlined: json["inlined"]?.bool ?? false, isWritten: isApproximate || !isUnwritten)
        function.hasUnwrittenFile = isUnwritten
        function.callStart = Self.start(json["call_offset"], before: offset)
        return function
    }

    private static func status(of json: JSONValue) -> FrameStatus {
        json["status"]?.string.flatMap { FrameStatus(rawValue: $0) } ?? .notFound
    }

    private static func number(_ json: JSONValue?) -> UInt32 {
        UInt32(clamping: json?.unsigned ?? 0)
    }

    /// Where something starts, by how far before the offset that is.
    private static func start(
        _ distance: JSONValue?, before offset: ImageOffset
    ) -> ImageOffset? {
        guard let distance = distance?.unsigned, distance <= offset.rawValue else { return nil }
        return ImageOffset(offset.rawValue - distance)
    }

    private mutating func number(ofName name: String) -> Int {
        if let known = numbersOfNames[name] { return known }
        numbersOfNames[name] = symbols.names.count
        symbols.names.append(name)
        return symbols.names.count - 1
    }

    private mutating func number(ofFile file: SourceFile) -> Int {
        if let known = numbersOfFiles[file] { return known }
        numbersOfFiles[file] = symbols.files.count
        symbols.files.append(file)
        return symbols.files.count - 1
    }
}

extension SourceFile {
    /// Of the members `file` and `path` of a frame; `nil` where it has none.
    fileprivate init?(_ json: JSONValue) {
        guard let name = json["file"]?.string else { return nil }
        let path = json["path"]?.string ?? name
        var folder = path.hasSuffix(name) ? path.dropLast(name.count) : ""
        // A root keeps its separator.
        let isRoot = folder == "/" || folder.hasSuffix(":\\")
        if !isRoot, folder.last == "/" || folder.last == "\\" { folder.removeLast() }
        self.init(folder: String(folder), name: name)
    }
}
