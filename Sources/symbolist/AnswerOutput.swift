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
    private let destination: Destination
    private var joining: AnswerJoining
    /// What is to be in the one file.
    private var gathered: [UInt8] = []

    init(_ format: SymbolicateCommand.Format, to destination: Destination) {
        self.format = format
        self.destination = destination
        joining = AnswerJoining(format)
    }

    mutating func add(_ answer: AnsweredInput) throws(SymbolStoreError) {
        switch destination {
        case .console:
            for part in answer.parts { write(joining.bytes(of: part)) }
        case .file:
            for part in answer.parts { gathered += joining.bytes(of: part) }
        case .folder(let folder):
            guard !answer.parts.isEmpty else { return }
            var joining = AnswerJoining(format)
            var bytes = answer.parts.flatMap { joining.bytes(of: $0) }
            bytes += joining.end()
            try replaceFile(at: "\(folder)/\(Self.name(of: answer.path))", with: bytes)
        }
    }

    mutating func finish() throws(SymbolStoreError) {
        switch destination {
        case .console: write(joining.end())
        case .file(let path): try replaceFile(at: path, with: gathered + joining.end())
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
    init(path: String?, inputs: [String]) throws(SymbolStoreError) {
        guard let path else {
            self = .console
            return
        }
        var isFolder = false
        let exists = FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
        guard inputs.count > 1 || isFolder else {
            self = .file(path)
            return
        }
        if exists, !isFolder {
            throw SymbolStoreError(
                path, "is a file, and there are several inputs", next: "give a folder with -o")
        }
        try Self.check(inputs)
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true)
        } catch {
            throw SymbolStoreError(path, "cannot be made a folder", next: "give another with -o")
        }
        self = .folder(path)
    }

    /// Files in a folder have the names of the inputs, so these must differ.
    private static func check(_ inputs: [String]) throws(SymbolStoreError) {
        var seen: Set<String> = []
        for input in inputs {
            if input == "-" {
                throw SymbolStoreError(
                    "standard input", "has no name for a file in a folder",
                    next: "give a file with -o")
            }
            if !seen.insert(AnswerOutput.name(of: input)).inserted {
                throw SymbolStoreError(
                    input, "has the name of another input", next: "give them in runs of their own")
            }
        }
    }
}
