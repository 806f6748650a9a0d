import Foundation
import FuzzTargets
import TestSupport
import Testing

/// Reads inputs that once broke a reader, and damaged copies of every fixture, without a fuzzer.
///
/// A broken reader ends the test process. Then the last input is in
/// `.build/fuzz-replay/<target>`, and `Scripts/fuzz <target> <file>` repeats it.
@Suite("Fuzz replay")
struct FuzzReplayTests {
    /// The number of damaged copies of each seed; `FUZZ_ROUNDS` overrides it for longer runs.
    static let rounds =
        ProcessInfo.processInfo.environment["FUZZ_ROUNDS"].flatMap { Int($0) } ?? 1

    @Test("inputs that a fuzzer once found are read", arguments: FuzzTarget.allCases)
    func finds(target: FuzzTarget) throws {
        let folder = projectFolder.appendingPathComponent("Tests/Fuzz/Found/\(target.rawValue)")
        let finds = try FileManager.default.contentsOfDirectory(
            at: folder, includingPropertiesForKeys: nil)
        for find in finds.sorted(by: { $0.path < $1.path }) {
            try read(Array(Data(contentsOf: find)), by: target, called: find.lastPathComponent)
        }
    }

    @Test("every fixture is read, whole and damaged", arguments: FuzzTarget.allCases)
    func damagedFixtures(target: FuzzTarget) throws {
        var count = 0
        for (path, file) in try ProjectFiles.contents() {
            for seed in target.seeds(from: file) {
                try read(seed, by: target, called: path)
                try readDamaged(seed, by: target, called: path, seed: UInt64(count))
                count += 1
            }
        }
        #expect(count > 0, "no fixture is a seed of \(target.rawValue)")
    }

    private func readDamaged(
        _ bytes: [UInt8], by target: FuzzTarget, called name: String, seed: UInt64
    ) throws {
        var numbers = SplitMix64(seed: seed)
        for round in 0..<Self.rounds {
            let kind = Damage.allCases[(Int(seed) + round) % Damage.allCases.count]
            let damaged = kind.damaged(bytes, using: &numbers)
            try read(damaged, by: target, called: "\(name), \(kind), seed \(seed)")
        }
    }

    private func read(_ bytes: [UInt8], by target: FuzzTarget, called name: String) throws {
        try LastInput(of: target).keep(bytes)
        #expect(throws: Never.self, "\(name)") { try target.read(bytes) }
    }
}

/// The current input, stored in case reading it ends the process.
private struct LastInput {
    private let file: URL

    init(of target: FuzzTarget) throws {
        let folder = projectFolder.appendingPathComponent(".build/fuzz-replay")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        file = folder.appendingPathComponent(target.rawValue)
    }

    func keep(_ bytes: [UInt8]) throws { try Data(bytes).write(to: file) }
}

/// The files of the project that serve as seeds.
private enum ProjectFiles {
    static func contents() throws -> [(path: String, bytes: [UInt8])] {
        try ["Symbols", "Fixtures/Caches", "Fixtures/Diagnostics", "Tests/OTLPTests/Requests"]
            .flatMap { folder in
                let root = projectFolder.appendingPathComponent(folder)
                let paths = FileManager.default.subpaths(atPath: root.path) ?? []
                return try paths.sorted().compactMap { path -> (path: String, bytes: [UInt8])? in
                    let file = root.appendingPathComponent(path)
                    let values = try file.resourceValues(forKeys: [.isRegularFileKey])
                    guard values.isRegularFile == true, !path.hasSuffix(".expected.json")
                    else { return nil }
                    return ("\(folder)/\(path)", Array(try Data(contentsOf: file)))
                }
            }
    }
}
