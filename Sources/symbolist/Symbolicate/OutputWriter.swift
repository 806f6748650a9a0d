import ReportProcessing
import SymbolStores

/// Writes output in the order of the inputs: to standard output, to one file, or to a folder with a
/// file per input.
struct OutputWriter {
    enum Destination {
        case console
        case file(String)
        case folder(String)
    }

    private let format: OutputFormat
    private var destination: Destination
    private var joining: OutputJoiner
    /// The contents of the one file, written at the end.
    private var gathered: [UInt8] = []
    /// The names of files written to the folder.
    private var written: Set<String> = []
    /// The first file of a folder or archive in its own form. It is written if it is the only one.
    private var sole: (path: String, count: Int, parts: [OutputPart])?

    init(_ format: OutputFormat, to destination: Destination) {
        self.format = format
        self.destination = destination
        joining = OutputJoiner(format)
    }

    /// Whether each input has its own output file.
    var isFolder: Bool { destination.isFolder }

    mutating func add(_ result: ProcessedInput) throws(SymbolStoreError) {
        guard !result.parts.isEmpty else { return }
        if format == .same, result.container != nil { try openFolder() }
        if case .folder(let folder) = destination {
            try add(result, to: folder)
        } else if format == .same, let container = result.container {
            sole = (container, (sole?.count ?? 0) + 1, sole == nil ? result.parts : [])
        } else {
            add(result.parts)
        }
    }

    /// Writes to a folder instead of an output file that does not exist yet, as for an archive
    /// given by its path. Standard input is recognised as an archive only when it is read.
    private mutating func openFolder() throws(SymbolStoreError) {
        guard case .file(let path) = destination, (try? FileStatus(of: path)) == nil
        else { return }
        try Destination.makeFolder(path)
        destination = .folder(path)
    }

    private mutating func add(_ parts: [OutputPart]) {
        for part in parts {
            let bytes = joining.bytes(of: part)
            if case .file = destination { gathered += bytes } else { write(bytes) }
        }
    }

    private mutating func add(
        _ result: ProcessedInput, to folder: String
    ) throws(SymbolStoreError) {
        guard result.path != "-" else { throw Destination.nameless }
        guard written.insert(result.outputName).inserted else {
            throw SymbolStoreError(
                result.path, detail: "has the same name as another file",
                suggestion: "unpack them into separate folders")
        }
        var joining = OutputJoiner(format)
        var bytes = result.parts.flatMap { joining.bytes(of: $0) }
        bytes += joining.end()
        let path = "\(folder)/\(result.outputName)"
        try Destination.makeFolder(String(path.dropLast(Self.name(of: path).count + 1)))
        try writeOutput(bytes, to: path)
    }

    mutating func finish() throws(SymbolStoreError) {
        if let sole {
            guard sole.count == 1 else {
                throw SymbolStoreError(
                    InputBytes(sole.path).name, detail: "contains \(sole.count) reports",
                    suggestion: "set -o to a folder to write each of them")
            }
            add(sole.parts)
        }
        switch destination {
        case .console: write(joining.end())
        case .file(let path):
            let bytes = gathered + joining.end()
            // If there is no output, the file of an earlier run is kept.
            if !bytes.isEmpty { try writeOutput(bytes, to: path) }
        case .folder: break
        }
    }

    private func write(_ bytes: [UInt8]) {
        if !bytes.isEmpty { Console.result(bytes) }
    }

    /// Returns the last component of a path.
    static func name(of path: String) -> String {
        path.split(separator: "/").last.map(String.init) ?? path
    }
}

extension OutputWriter.Destination {
    var isFolder: Bool {
        if case .folder = self { true } else { false }
    }

    /// Whether the output goes to a terminal.
    var isTerminal: Bool {
        if case .console = self { Console.showsResults } else { false }
    }

    /// - Parameters:
    ///   - path: The value of `--output`, or `nil` for standard output.
    ///   - inputs: The paths of the inputs, `-` for standard input.
    ///   - format: With ``OutputFormat/same``, each file of a folder or archive becomes a file.
    init(
        path: String?, inputs: [String], format: OutputFormat
    ) throws(SymbolStoreError) {
        guard let path else {
            self = .console
            return
        }
        let status = try? FileStatus(of: path)
        let isFolder = status?.kind == .folder
        let givesFiles = format == .same && inputs.contains(where: InputFiles.isContainer)
        guard inputs.count > 1 || isFolder || givesFiles || path.hasSuffix("/") else {
            self = .file(path)
            return
        }
        if status != nil, !isFolder {
            throw SymbolStoreError(
                path, detail: "is a file, but there are several inputs",
                suggestion: "set -o to a folder")
        }
        if inputs.count > 1 { try Self.check(inputs) }
        try Self.makeFolder(path)
        self = .folder(path)
    }

    fileprivate static func makeFolder(_ path: String) throws(SymbolStoreError) {
        if !makeFolders(path) {
            throw SymbolStoreError(
                path, detail: "cannot be created", suggestion: "set -o to another folder")
        }
    }

    /// The error for standard input with an output folder.
    fileprivate static let nameless = SymbolStoreError(
        "standard input", detail: "has no file name for a folder", suggestion: "set -o to a file")

    /// Checks that the names of the inputs differ, because the files in the folder have them.
    private static func check(_ inputs: [String]) throws(SymbolStoreError) {
        var seen: Set<String> = []
        for input in inputs {
            if input == "-" { throw nameless }
            if !seen.insert(OutputWriter.name(of: input)).inserted {
                throw SymbolStoreError(
                    input, detail: "has the same name as another input",
                    suggestion: "use separate runs")
            }
        }
    }
}
