public import Foundation

/// A program that has ended, with its output.
public struct FinishedProgram: Sendable {
    public let status: Int32
    /// What it wrote to standard output and standard error.
    public let output: String

    /// Runs a program and waits for its end.
    ///
    /// - Parameter name: The path of the program, or its name if it is in the search path.
    public init(_ name: String, _ arguments: [String], in folder: URL? = nil) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [name] + arguments
        if let folder { process.currentDirectoryURL = folder }
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        status = process.terminationStatus
    }
}
