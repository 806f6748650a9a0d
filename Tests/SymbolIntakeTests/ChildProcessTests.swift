import Foundation
import Glibc
import Testing

@testable import SymbolIntake

@Suite("Child processes")
struct ChildProcessTests {
    private func child(
        _ line: String, wallSeconds: Int = 60, outputBytes: Int = 1 << 20
    ) -> ChildProcess {
        ChildProcess(
            executable: "/bin/sh", arguments: ["-c", line], wallSecondsLimit: wallSeconds,
            outputBytesLimit: outputBytes)
    }

    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    @Test("output, complaints and exit code come back whole")
    func output() async {
        let report = await child("head -c 1000000 /dev/zero; echo no >&2; exit 3").run()
        #expect(report.output == [UInt8](repeating: 0, count: 1_000_000))
        #expect(text(report.complaint) == "no\n")
        #expect(report.ending == .exited(3))
    }

    @Test("many at a time lose nothing and leave no zombie")
    func many() async {
        let outputs = await withTaskGroup(of: String.self) { group in
            for number in 0..<40 {
                group.addTask { text(await child("echo $$ \(number)").run().output) }
            }
            return await group.reduce(into: [String]()) { $0.append($1) }
        }
        #expect(Set(outputs.map { $0.split(separator: " ").last }).count == 40)
        for output in outputs {
            let process = output.split(separator: " ").first.flatMap { pid_t($0) } ?? 0
            #expect(kill(process, 0) == -1 && errno == ESRCH)
        }
    }

    @Test("a child has a group of its own, no input, no descriptors and no secrets")
    func isolation() async throws {
        unsafe setenv("SYMBOLIST_TEST_SECRET", "secret", 1)
        let held = unsafe open("/dev/null", O_RDONLY)
        try #require(held >= 0)
        defer { close(held) }
        let report = await child(
            "echo $$; cut -d' ' -f5 /proc/$$/stat; cat | wc -c; ls /proc/$$/fd | tr '\\n' ' '; env"
        ).run()
        let lines = text(report.output).split(separator: "\n").map(String.init)
        try #require(lines.count > 3)
        #expect(lines[0] == lines[1])
        #expect(lines[2] == "0")
        // The shell's own copy of what it reads is above 9.
        let descriptors = lines[3].split(separator: " ").compactMap { Int($0) }
        #expect(descriptors.filter { $0 < 10 } == [0, 1, 2])
        #expect(!text(report.output).contains("secret"))
        #expect(text(report.output).contains("SWIFT_BACKTRACE=enable=no"))
    }

    @Test("one that takes too long is killed, with what it started")
    func late() async {
        let report = await child("sleep 1000 & echo $!; wait", wallSeconds: 1).run()
        #expect(report.ending == .late)
        let other = pid_t(text(report.output).dropLast()) ?? 0
        // Its new parent may not have noticed yet; a zombie has no command line.
        let command = FileManager.default.contents(atPath: "/proc/\(other)/cmdline") ?? Data()
        #expect(command.isEmpty)
    }

    @Test("one that writes without end is killed")
    func talkative() async {
        let report = await child("yes").run()
        #expect(report.ending == .talkative)
        #expect(report.output.count <= 1 << 20 + 1 << 16)
    }

    @Test("complaints are kept from the beginning and no further than the limit")
    func complaints() async {
        let report = await child("echo first >&2; head -c 1000000 /dev/zero >&2").run()
        #expect(report.ending == .exited(0))
        #expect(report.complaint.count == ChildProcess.complaintBytesLimit)
        #expect(text(report.complaint).hasPrefix("first\n"))
    }

    @Test("one that closes its pipes and goes on is killed")
    func closedPipes() async {
        let report = await child("exec >&- 2>&-; sleep 1000").run()
        #expect(report.ending == .signalled(SIGKILL))
    }

    @Test("a program that is not there is no child")
    func notStarted() async {
        let child = ChildProcess(
            executable: "/nowhere", arguments: [], wallSecondsLimit: 1, outputBytesLimit: 1)
        #expect(await child.run().ending == .notStarted(ENOENT))
    }

    @Test("one that is cancelled before it starts does not run on")
    func cancelled() async {
        let task = Task { await child("sleep 1000").run() }
        task.cancel()
        #expect(await task.value.ending == .cancelled)
    }

    @Test("a job dies with the process that started it")
    func orphan() throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("symbolist-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let fifo = folder.appendingPathComponent("fifo").path
        try #require(unsafe mkfifo(fifo, 0o600) == 0)
        // The job waits for bytes of its file, which never come.
        let limits = ChildLimits().arguments(mappedBytes: 0).dropLast().joined(separator: " ")
        let parent = Process()
        parent.executableURL = URL(fileURLWithPath: "/bin/sh")
        parent.arguments = [
            "-c",
            "'\(executable)' intake index '\(fifo)' 11 arm64 '\(folder.path)/o' "
                + "--blob='\(folder.path)/b' \(limits) --parent=$$ & wait",
        ]
        let pipe = Pipe()
        parent.standardOutput = pipe
        try parent.run()
        // Open as soon as the job has opened it, and by then it is bound to its parent.
        let writer = unsafe open(fifo, O_WRONLY)
        try #require(writer >= 0)
        defer { close(writer) }
        kill(parent.processIdentifier, SIGKILL)
        // Ends when the last process that could write to it has ended.
        #expect(try pipe.fileHandleForReading.readToEnd() ?? Data() == Data())
    }

    @Test(
        "how a child ended is told in words",
        arguments: [
            (.exited(1), "", "could not be read (exit code 1)"),
            (.signalled(SIGXCPU), "", "took more than 300 s of CPU time"),
            (.signalled(SIGXFSZ), "", "would have become a file of more than 16 GiB"),
            (
                .signalled(SIGTRAP), "Fatal error: no memory for 1 bytes",
                "was killed by its memory limit of 2 GiB"
            ),
            (.signalled(SIGABRT), "", "crashed its reader (signal 6)"),
            (.signalled(SIGKILL), "", "was killed by the system, perhaps for want of memory"),
            (.late, "", "took longer than 1800 s"),
            (.talkative, "", "holds more than can be listed"),
        ] as [(ChildEnding, String, String)])
    func words(ending: ChildEnding, complaint: String, reason: String) {
        #expect(ending.reason(limits: ChildLimits(), complaint: complaint) == reason)
    }
}
