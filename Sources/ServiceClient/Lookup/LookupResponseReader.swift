import CallStacks
import JSONText
import Symbolication

/// Reads the server's results for offsets of one image, from one or more responses.
struct LookupResponseReader {
    private(set) var symbols: RemoteLookupResults
    private var numbersOfNames: [String: Int] = [:]
    private var numbersOfFiles: [SourceFile: Int] = [:]

    init(of image: ServerImage) {
        symbols = RemoteLookupResults(
            architecture: image.architecture, isSymbolTableOnly: image.status == .noDebugInfo)
    }

    /// Adds one result object, for any offset of the image.
    mutating func add(_ json: JSONValue, of image: ImageID) {
        guard let offset = json["offset"]?.unsigned.map({ ImageOffset($0) }) else { return }
        var result = OffsetLookupResult(image, offset, Self.status(of: json))
        result.isOutsideCode = json["outside_code"]?.bool ?? false
        if let frames = json["frames"] {
            for frame in frames.elements {
                if frame["in_app"]?.bool == false { symbols.isOfSystem = true }
                result.functions.append(function(frame, at: offset))
                result.functionStart = Self.start(frame["function_offset"], before: offset)
            }
        }
        symbols.results[offset] = result
    }

    /// Reads a frame. The mangled name is used, so that it is demangled like that of local symbols.
    private mutating func function(_ json: JSONValue, at offset: ImageOffset) -> ResolvedFunction {
        let isApproximate = json["approximate"]?.bool ?? false
        let isGenerated = json["compiler_generated_file"]?.bool ?? false
        var function = ResolvedFunction(
            status: Self.status(of: json), name: json["mangled"]?.string.map { number(ofName: $0) },
            file: SourceFile(json).map { number(ofFile: $0) }, line: Self.number(json["line"]),
            column: Self.number(json["column"]), isApproximate: isApproximate,
            isInlined: json["inlined"]?.bool ?? false, isInSourceFile: isApproximate || !isGenerated
        )
        function.hasCompilerGeneratedFile = isGenerated
        function.callStart = Self.start(json["call_offset"], before: offset)
        return function
    }

    private static func status(of json: JSONValue) -> FrameStatus {
        json["status"]?.string.flatMap { FrameStatus(rawValue: $0) } ?? .notFound
    }

    private static func number(_ json: JSONValue?) -> UInt32 {
        UInt32(clamping: json?.unsigned ?? 0)
    }

    /// Returns the start of an item, from its distance before an offset.
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
    /// Reads the members `file` and `path` of a frame. Returns `nil` if the frame has no file.
    fileprivate init?(_ json: JSONValue) {
        guard let name = json["file"]?.string else { return nil }
        let path = json["path"]?.string ?? name
        var folder = path.hasSuffix(name) ? path.dropLast(name.count) : ""
        // A root folder keeps its separator.
        let isRoot = folder == "/" || folder.hasSuffix(":\\")
        if !isRoot, folder.last == "/" || folder.last == "\\" { folder.removeLast() }
        self.init(folder: String(folder), name: name)
    }
}
