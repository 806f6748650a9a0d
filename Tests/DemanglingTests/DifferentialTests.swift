import CSwiftDemangle
import Demangling
import Foundation
import Testing

/// The same names in other demanglers. The names are from the toolchain's own libraries.
///
/// Tools: `nm`, `swift demangle` and `llvm-cxxfilt-19`. A missing one fails the test.
@Suite("other demanglers agree")
struct DifferentialTests {
    /// Every *n*-th name, so that a run takes seconds.
    private static let namesLimit = 6_000

    @Test("swift demangle -simplified", arguments: ["libswiftCore.so", "libFoundation.so"])
    func swift(library: String) throws {
        let names = try Self.names(in: library) { $0.hasPrefix("$s") && !$0.contains(".") }
        #expect(names.count > 1_000)
        let theirs = try Tool("swift").lines(
            ["demangle", "-compact", "-simplified"], input: names)
        let demangler = Demangler()
        let disagreements = zip(names, theirs).filter { demangler.demangle($0).text != $1 }
        #expect(disagreements.isEmpty, "\(disagreements.prefix(3))")
    }

    @Test("llvm-cxxfilt", arguments: ["libswiftCore.so", "lib_FoundationICU.so"])
    func cxx(library: String) throws {
        let names = try Self.names(in: library) { $0.hasPrefix("_Z") }
        #expect(names.count > 300)
        let theirs = try Tool("llvm-cxxfilt-19").lines([], input: names)
        let demangler = Demangler()
        let disagreements = zip(names, theirs).filter { name, text in
            let ours = demangler.demangle(name).text
            // Long texts of templates are truncated here and not there.
            return ours.hasSuffix("…") ? !text.hasPrefix(ours.dropLast()) : ours != text
        }
        #expect(disagreements.isEmpty, "\(disagreements.prefix(3))")
    }

    /// The runtime omits its thunks from backtraces.
    @Test("the runtime's thunks", arguments: ["libswiftCore.so", "libFoundation.so"])
    func thunks(library: String) throws {
        let names = try Self.names(in: library) { $0.hasPrefix("$s") && !$0.contains(".") }
        let demangler = Demangler()
        let missed = names.filter { name in
            unsafe _swift_backtrace_isThunkFunction(name)
                && demangler.demangle(name).kind != .thunk
                // `init` of a structure, which is source code.
                && !name.hasSuffix("fC")
        }
        #expect(missed.isEmpty, "\(missed.prefix(3))")
    }

    private static func names(
        in library: String, where isWanted: (String) -> Bool
    ) throws -> [String] {
        let folder = try Tool.runtimeLibraries()
        let lines = try Tool("nm").lines([folder + "/" + library], input: [])
        let all = Set(lines.compactMap { $0.split(separator: " ").last.map(String.init) })
            .filter(isWanted).sorted()
        let step = max(1, all.count / namesLimit)
        return stride(from: 0, to: all.count, by: step).map { all[$0] }
    }
}

/// A program on the search path, run once.
struct Tool {
    struct Failure: Error {
        var program: String
        var status: Int32
    }

    var program: String

    init(_ program: String) {
        self.program = program
    }

    func lines(_ arguments: [String], input: [String]) throws -> [String] {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [program] + arguments
        // Files, because a full pipe would block the program.
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("demangling-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (given, answer) = (folder.appending(path: "in"), folder.appending(path: "out"))
        try Data(input.map { $0 + "\n" }.joined().utf8).write(to: given)
        try Data().write(to: answer)
        process.standardInput = try FileHandle(forReadingFrom: given)
        process.standardOutput = try FileHandle(forWritingTo: answer)
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(program: program, status: process.terminationStatus)
        }
        return try String(contentsOf: answer, encoding: .utf8)
            .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    /// The folder of the toolchain's runtime libraries.
    static func runtimeLibraries() throws -> String {
        struct Target: Decodable {
            struct Paths: Decodable { var runtimeLibraryPaths: [String] }
            var paths: Paths
        }
        let answer = try Tool("swift").lines(["-print-target-info"], input: [])
        let target = try JSONDecoder()
            .decode(Target.self, from: Data(answer.joined(separator: "\n").utf8))
        return try #require(target.paths.runtimeLibraryPaths.first)
    }
}
