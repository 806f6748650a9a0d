import Foundation
import TestSupport
import Testing

/// Damaged stacks of every notation of Linux, through the built executable.
@Suite("Damaged stacks of Linux", .ownThreads)
struct MutatedStackTests {
    /// The number of variants, and the seed, which a long run sets.
    private static let variantCount = number("STACK_VARIANTS") ?? 120
    private static let seed = UInt64(number("STACK_SEED") ?? 13)

    private static func number(_ variable: String) -> Int? {
        ProcessInfo.processInfo.environment[variable].flatMap { Int($0) }
    }

    let workspace: Workspace

    init() throws { workspace = try Workspace() }

    private static let coreDump = """
                   PID: 4711 (cellar)
                Signal: 6 (ABRT)
               Message: Process 4711 (cellar) of user 1000 dumped core.
                        Stack trace of thread 4711:
                        #0  0x00007f0b3fe45249 raise (libc.so.6 + 0x3b249)
                        #1  0x000055f41410c38a n/a (cellar + 0x138a)
                        ELF object binary architecture: AMD x86-64

        """
    private static let lldb = """
        * thread #1, name = 'cellar', stop reason = signal SIGSEGV
          * frame #0: 0x0000555555555392 cellar`___lldb_unnamed_symbol12 + 18
            frame #1: 0x00005555555554c7 cellar`main + 20
        [  0] 2E1F0B7C-9D8E-2E1F-0B7C-9D8E2E1F0B7C-00000001 0x0000555555554000 /src/cellar

        """

    /// The stacks that programs really printed, and those of other tools.
    private static func stacks() throws -> [[UInt8]] {
        let folder = projectFolder.appendingPathComponent("Fixtures/Stacks")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        return try names.map { [UInt8](try Data(contentsOf: folder.appendingPathComponent($0))) }
            + [coreDump, lldb].map { Array($0.utf8) }
    }

    /// Returns a copy that is cut, joined with another, or has other bytes or lines.
    private static func damaged(
        _ bytes: [UInt8], or other: [UInt8], by numbers: inout SplitMix64
    ) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...4, using: &numbers) where !bytes.isEmpty {
            let place = Int.random(in: 0..<bytes.count, using: &numbers)
            switch Int.random(in: 0..<6, using: &numbers) {
            case 0: bytes.removeSubrange(place...)
            case 1: bytes[place] = UInt8.random(in: 0...255, using: &numbers)
            case 2: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &numbers)
            case 3:
                let end = bytes[place...].firstIndex(of: 0x0a).map { $0 + 1 } ?? bytes.count
                bytes.removeSubrange(place..<end)
            case 4:
                var lines = bytes.split(separator: 0x0a, omittingEmptySubsequences: false)
                lines.append(lines[place % lines.count])
                lines.swapAt(place % lines.count, place / 2 % lines.count)
                bytes = Array(lines.joined(separator: [0x0a]))
            default:
                let start = Int.random(in: 0..<other.count, using: &numbers)
                bytes.insert(contentsOf: other[start...].prefix(200), at: place)
            }
        }
        return bytes
    }

    @Test(
        "are read without a trap or a hang, and writing them twice changes nothing",
        .timeLimit(.minutes(20)))
    func variants() throws {
        let cellar = try Cellar(workspace)
        let stacks = try Self.stacks()
        var numbers = SplitMix64(seed: Self.seed)
        for number in 0..<Self.variantCount {
            let other = try #require(stacks.randomElement(using: &numbers))
            let bytes = Self.damaged(stacks[number % stacks.count], or: other, by: &numbers)
            try workspace.file("in/\(number).txt", Data(bytes))
        }
        let options = "--symbols '\(cellar.program)' --uuid 'cellar=\(try cellar.buildID())'"
        let text = try workspace.shell("symbolist symbolicate in/*.txt \(options) 2>&1")
        #expect([0, 1, 3].contains(text.status) && text.text.contains("cellar::"))
        let once = try workspace.shell(
            "symbolist symbolicate in/*.txt \(options) --format same -o once 2>&1")
        let twice = try workspace.shell(
            "symbolist symbolicate once/*.txt \(options) --format same -o twice 2>&1")
        #expect([once, twice].allSatisfy { [0, 1, 3].contains($0.status) })
        #expect(try workspace.shell("cat once/* | grep -c cellar::").text.count > 3)
        let difference = try workspace.shell("diff -ru once twice | head -40")
        #expect(difference.text.isEmpty, "\(difference.text)")
    }
}
