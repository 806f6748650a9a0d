import CallStacks
import Foundation

/// The peer that our results are compared with.
enum LLVMSymbolizer {
    /// One function of a result.
    struct Frame: Decodable, Hashable {
        var function: String
        var file: String
        var line: UInt32
        var column: UInt32

        enum CodingKeys: String, CodingKey {
            case function = "FunctionName"
            case file = "FileName"
            case line = "Line"
            case column = "Column"
        }

        /// The last component of the file's path.
        var fileName: Substring {
            file.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last ?? ""
        }
    }

    private struct Answer: Decodable {
        var frames: [Frame]?

        enum CodingKeys: String, CodingKey { case frames = "Symbol" }
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    static let path = "/usr/bin/llvm-symbolizer-19"

    /// Returns the peer's frames for link addresses of a file, in their order, innermost frame
    /// first.
    static func frames(
        at addresses: [LinkAddress], in file: String, architecture: Architecture
    ) throws -> [[Frame]] {
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw Failure(description: "\(path) is missing: install llvm-19, as Scripts/test does")
        }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = [
            "--obj=\(file)", "--default-arch=\(architecture.name)", "--no-demangle", "--inlines",
            "--output-style=JSON",
        ]
        let lines = try run(process, input: addresses.map { "0x\(String($0.rawValue, radix: 16))" })
        guard lines.count == addresses.count else {
            throw Failure(description: "\(file): \(lines.count) answers to \(addresses.count)")
        }
        let decoder = JSONDecoder()
        return try lines.map { try decoder.decode(Answer.self, from: Data($0)).frames ?? [] }
    }

    /// Input and output use files, so that neither side can block the other.
    private static func run(_ process: Process, input: [String]) throws -> [Data.SubSequence] {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("symbolist-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let question = folder.appendingPathComponent("in")
        let answer = folder.appendingPathComponent("out")
        try input.joined(separator: "\n").write(to: question, atomically: true, encoding: .utf8)
        try Data().write(to: answer)
        process.standardInput = try FileHandle(forReadingFrom: question)
        process.standardOutput = try FileHandle(forWritingTo: answer)
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return try Data(contentsOf: answer).split(separator: UInt8(ascii: "\n"))
    }
}
