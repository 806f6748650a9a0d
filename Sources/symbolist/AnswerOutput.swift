import Foundation
import SymbolStores

/// Where answers go, in the order of the inputs: to standard output, to one file, or to a folder with
/// a file for each input.
struct AnswerOutput {
    enum Destination {
        case console
        case file(String)
        case folder(String)
    }

    private let format: SymbolicateCommand.Format
    private var destination: Destination
    private var joining: AnswerJoining
    /// What is to be in the one file.
    private var gathered: [UInt8] = []
    /// What was written to the folder.
    private var written: Set<String> = []
    /// In the own form of a file, what lies in a folder or archive is written if it is the only report.
    private var sole: (path: String, count: Int, parts: [AnswerPart])?

    init(_ format: SymbolicateCommand.Format, to destination: Destination) {
        self.format = format
        self.destination = destination
        joining = AnswerJoining(format)
    }

    /// Whether each input is a file again.
    var isFolder: Bool { destination.isFolder }

    mutating func add(_ answer: AnsweredInput) throws(SymbolStoreError) {
        guard !answer.parts.isEmpty else { return }
        if format == .same, answer.container != nil { try openFolder() }
        if case .folder(let folder) = destination {
            try add(answer, to: folder)
        } else if format == .same, let container = answer.container {
            sole = (container, (sole?.count ?? 0) + 1, sole == nil ? answer.parts : [])
        } else {
            add(answer.parts)
        }
    }

    /// Makes a new file a folder, as for an archive that was given: standard input shows only when it
    /// is read that it is one.
    private mutating func openFolder() throws(SymbolStoreError) {
        guard case .file(let path) = destination, !FileManager.default.fileExists(atPath: path)
        else { return }
        try Destination.makeFolder(path)
        destination = .folder(path)
    }

    private mutating func add(_ parts: [AnswerPart]) {
        for part in parts {
            let bytes = joining.bytes(of: part)
            if case .file = destination { gathered += bytes } else { write(bytes) }
        }
    }

    private mutating func add(
        _ answer: AnsweredInput, to folder: String
    ) throws(SymbolStoreError) {
        guard answer.path != "-" else { throw Destination.nameless }
        guard written.insert(answer.outputName).inserted else {
            throw SymbolStoreError(
                answer.path, "has the name of another file in it",
                next: "unpack them to folders of their own")
        }
        var joining = AnswerJoining(format)
        var bytes = answer.parts.flatMap { joining.bytes(of: $0) }
        bytes += joining.end()
        let path = "\(folder)/\(answer.outputName)"
        try Destination.makeFolder(String(path.dropLast(Self.name(of: path).count + 1)))
        try writeOutput(bytes, to: path)
    }

    mutating func finish() throws(SymbolStoreError) {
        if let sole {
            guard sole.count == 1 else {
                throw SymbolStoreError(
                    InputBytes(sole.path).name, "holds \(sole.count) reports",
                    next: "give a folder with -o to have each in its own form")
            }
            add(sole.parts)
        }
        switch destination {
        case .console: write(joining.end())
        case .file(let path):
            let bytes = gathered + joining.end()
            // Where nothing could be answered, what an earlier run wrote stays.
            if !bytes.isEmpty { try writeOutput(bytes, to: path) }
        case .folder: break
        }
    }

    private func write(_ bytes: [UInt8]) {
        if !bytes.isEmpty { Console.result(bytes) }
    }

    /// The last component of a path.
    static func name(of path: String) -> String {
        path.split(separator: "/").last.map(String.init) ?? path
    }
}

extension AnswerOutput.Destination {
    var isFolder: Bool {
        if case .folder = self { true } else { false }
    }

    /// Whether answers are read as they come.
    var isTerminal: Bool {
        if case .console = self { Console.showsResults } else { false }
    }

    /// - Parameters:
    ///   - path: What was given for the output, if anything.
    ///   - inputs: The paths of the inputs, `-` for standard input.
    ///   - format: In the form of the inputs each file of a folder or archive is a file again.
    init(
        path: String?, inputs: [String], format: SymbolicateCommand.Format
    ) throws(SymbolStoreError) {
        guard let path else {
            self = .console
            return
        }
        var isFolder = false
        let exists = FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
        let givesFiles = format == .same && inputs.contains(where: InputFiles.isContainer)
        guard inputs.count > 1 || isFolder || givesFiles || path.hasSuffix("/") else {
            self = .file(path)
            return
        }
        if exists, !isFolder {
            throw SymbolStoreError(
                path, "is a file, and there are several inputs", next: "give a folder with -o")
        }
        if inputs.count > 1 { try Self.check(inputs) }
        try Self.makeFolder(path)
        self = .folder(path)
    }

    fileprivate static func makeFolder(_ path: String) throws(SymbolStoreError) {
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true)
        } catch {
            throw SymbolStoreError(path, "cannot be made a folder", next: "give another with -o")
        }
    }

    /// What came by standard input cannot be put into a folder.
    fileprivate static let nameless = SymbolStoreError(
        "standard input", "has no name for a file in a folder", next: "give a file with -o")

    /// Files in a folder have the names of the inputs, so these must differ.
    private static func check(_ inputs: [String]) throws(SymbolStoreError) {
        var seen: Set<String> = []
        for input in inputs {
            if input == "-" { throw nameless }
            if !seen.insert(AnswerOutput.name(of: input)).inserted {
                throw SymbolStoreError(
                    input, "has the name of another input", next: "give them in runs of their own")
            }
        }
    }
}
