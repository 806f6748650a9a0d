import Foundation
import Glibc
import TestSupport
import Testing

/// The files that an interrupted run leaves behind.
@Suite("Interrupted runs", .ownThreads)
struct InterruptionTests {
    @Test("remove half-unpacked archives", arguments: [SIGINT, SIGTERM])
    func unpacking(signal number: Int32) throws {
        let workspace = try Workspace()
        // A shell has the commands that it starts in the background ignore SIGINT, and they inherit
        // that.
        signal(number, SIG_DFL)
        // An incompressible ELF file takes a while.
        _ = try workspace.shell(
            "head -c 4096 '\(Orchard.absolute("Symbols/linux-cpp-split/press.debug"))' > big"
                + " && head -c 400M /dev/urandom >> big && tar cf big.tar big && rm big")
        let process = Process()
        process.executableURL = executable
        process.arguments = ["inspect", workspace.folder.appendingPathComponent("big.tar").path]
        process.environment = workspace.environment()
        process.currentDirectoryURL = workspace.folder
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        let started = try Self.waits { !Self.drafts(in: workspace).isEmpty || !process.isRunning }
        #expect(started && process.isRunning, "unpacking ended before it could be interrupted")
        kill(process.processIdentifier, number)
        process.waitUntilExit()
        #expect(process.terminationReason == .uncaughtSignal)
        #expect(process.terminationStatus == number)
        #expect(Self.drafts(in: workspace).isEmpty)
    }

    /// The folders of archives that are being unpacked.
    private static func drafts(in workspace: Workspace) -> [String] {
        let all = FileManager.default.enumerator(atPath: workspace.cache.path)
        return (all?.compactMap { $0 as? String } ?? []).filter { $0.contains(".unpacked.") }
    }

    private static func waits(until isMet: () -> Bool) throws -> Bool {
        for _ in 0..<120_000 {
            if isMet() { return true }
            usleep(1_000)
        }
        return false
    }
}

/// File names that are not valid UTF-8.
@Suite("File names of any bytes", .ownThreads)
struct FileNameTests {
    private static let kit = Orchard.absolute(Orchard.kit)
    private static let crash = Orchard.absolute(Orchard.crash)

    @Test("are read, as arguments and in folders, and written below -o")
    func read() throws {
        let workspace = try Workspace()
        let run = try workspace.shell(
            """
            crash=$(printf 'cr\\351sh.json'); folder=$(printf 'f\\377')
            mkdir "$folder" && cp '\(Self.crash)' "$crash" && cp '\(Self.crash)' "$folder/$crash"
            cp -r '\(Self.kit)' "$folder/kit.dSYM"
            symbolist symbolicate "$crash" --symbols "$folder" --format json > one.json || exit 9
            symbolist symbolicate "$folder" --symbols "$folder" --format same -o "$(printf 'o\\376')"
            cmp "$crash" "$(printf 'o\\376')/$crash" > /dev/null && exit 8
            ls "$(printf 'o\\376')" | wc -l
            """)
        #expect(run.status == 0, "\(run.problems)")
        #expect(run.text.trimmingCharacters(in: .whitespacesAndNewlines) == "1")
        let one = try String(
            contentsOf: workspace.folder.appendingPathComponent("one.json"), encoding: .utf8)
        #expect(one.contains("OrchardKit") && one.contains("\"found\""))
    }

    @Test("are shown with a replacement character")
    func shown() throws {
        let run = try Workspace().shell(#"symbolist symbolicate "$(printf 'n\351.txt')""#)
        #expect(run.problems.first?.hasPrefix("n\u{fffd}.txt: no such file") == true)
    }

    @Test("a folder of symbols with only a link to another folder is reported as such")
    func linkAmongSymbols() throws {
        let run = try Workspace().shell(
            "mkdir -p all && cp -r '\(Self.kit)' kit.dSYM && ln -s ../kit.dSYM all/link"
                + " && symbolist inspect all")
        #expect(
            run.problems.contains(
                "all: contains no debug file, but a link to a folder: pass 'all/link'"),
            "\(run.problems)")
    }

    @Test("a link to a folder is named, because it is not followed")
    func link() throws {
        let workspace = try Workspace()
        let run = try workspace.shell(
            "mkdir -p all other && cp '\(Self.crash)' all/a.json && ln -s ../other all/link"
                + " && symbolist symbolicate all --symbols '\(Self.kit)' > /dev/null")
        #expect(run.status == 0)
        #expect(
            run.problems.contains(
                "all/link: a link to a folder, which is not followed: pass the folder itself"),
            "\(run.problems)")
    }
}
