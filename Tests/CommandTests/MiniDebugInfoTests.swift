import Foundation
import TestSupport
import Testing

/// A stripped program with MiniDebugInfo, made as in the manual of gdb, against the tools of
/// elfutils and LLVM.
@Suite("MiniDebugInfo", .ownThreads)
struct MiniDebugInfoTests {
    let workspace: Workspace
    private let id: String

    init() throws {
        workspace = try Workspace()
        // Exported functions are only in `.dynsym`.
        let program = try Cellar(workspace, ["-Wl,--export-dynamic-symbol=main"])
        id = try program.buildID()
        let run = try workspace.shell(
            """
            set -e
            nm -D cellar --format=posix --defined-only | awk '{print $1}' | sort > exported
            nm cellar --format=posix --defined-only | awk '$2 ~ /[Tt]/ {print $1}' | sort > all
            comm -13 exported all > kept
            objcopy --only-keep-debug cellar whole
            objcopy -S --keep-symbols=kept whole names
            strip --strip-all cellar -o stripped
            xz -k names
            mkdir packed
            objcopy --add-section .gnu_debugdata=names.xz stripped packed/cellar
            """)
        try #require(run.status == 0, "\(run.problems)")
    }

    /// Returns the names at addresses: text before `+`.
    private func names(at addresses: [String]) throws -> [String] {
        let run = try workspace.run(
            executable.path, ["lookup", "--symbols", "packed", id] + addresses, input: "",
            environment: workspace.environment(), in: workspace.folder)
        return run.text.split(separator: "\n").map { line in
            let name = line.drop { $0 != " " }.drop { $0 == " " }
            return String(name[..<(name.firstRange(of: " + ")?.lowerBound ?? name.endIndex)])
        }
    }

    @Test("each symbol of the packed file is found as llvm-nm prints it")
    func symbols() throws {
        let rows = try workspace.shell("llvm-nm-19 -C --defined-only names").text
            .split(separator: "\n").map { $0.split(separator: " ", maxSplits: 2).map(String.init) }
        #expect(rows.count > 10)
        var expected: [String: Set<String>] = [:]
        for row in rows { expected["0x" + row[0], default: []].insert(row[2]) }
        let addresses = expected.keys.sorted()
        for (address, name) in zip(addresses, try names(at: addresses)) {
            #expect(expected[address]?.contains(name) == true, "\(address) \(name)")
        }
    }

    @Test("addresses in functions have the names that eu-addr2line prints for the stripped program")
    func addresses() throws {
        let rows = try workspace.shell("llvm-nm-19 -S --defined-only names; nm -DS cellar").text
            .split(separator: "\n").map { $0.split(separator: " ") }
            .filter { $0.count == 4 && "Tt".contains($0[2]) && UInt64($0[1], radix: 16) != 0 }
        let lasts = try rows.map { row in
            let start = try #require(UInt64(row[0], radix: 16))
            let size = try #require(UInt64(row[1], radix: 16))
            return "0x" + String(start + size - 1, radix: 16)
        }
        let peer = try workspace.shell(
            "eu-addr2line -f -e packed/cellar \(lasts.joined(separator: " ")) | llvm-cxxfilt-19"
        ).text.split(separator: "\n")
        let expected = stride(from: 0, to: peer.count, by: 2).map { String(peer[$0]) }
        #expect(expected.contains("main"))
        #expect(try names(at: lasts) == expected)
    }

    @Test("inspect counts the packed symbols")
    func inspect() throws {
        let text = try workspace.symbolist("inspect", "packed").text
        #expect(text.contains(" in .gnu_debugdata)\n"))
        #expect(text.contains("resolves  function names only: no debug information\n"))
        let stripped = try workspace.symbolist("inspect", "stripped").text
        #expect(!stripped.contains(".gnu_debugdata"))
    }
}
