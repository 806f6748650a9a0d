import Foundation
import Glibc
import TestSupport
import Testing

@testable import SymbolIntake

@Suite("Upload worker processes", .ownThreads)
struct UploadWorkerProcessTests {
    private func worker(
        _ line: String, wallSeconds: Int = 60, outputBytes: Int = 1 << 20
    ) -> UploadWorkerProcess {
        UploadWorkerProcess(
            executable: "/bin/sh", arguments: ["-c", line], wallSecondsLimit: wallSeconds,
            outputBytesLimit: outputBytes)
    }

    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    @Test("output, standard error and exit code are complete")
    func output() async {
        let report = await worker("head -c 1000000 /dev/zero; echo no >&2; exit 3").run()
        #expect(report.output == [UInt8](repeating: 0, count: 1_000_000))
        #expect(text(report.errorOutput) == "no\n")
        #expect(report.ending == .exited(3))
    }

    @Test("many processes at a time lose no output and leave no zombie")
    func many() async {
        let outputs = await withTaskGroup(of: String.self) { group in
            for number in 0..<40 {
                group.addTask { text(await worker("echo $$ \(number)").run().output) }
            }
            return await group.reduce(into: [String]()) { $0.append($1) }
        }
        #expect(Set(outputs.map { $0.split(separator: " ").last }).count == 40)
        for output in outputs {
            let process = output.split(separator: " ").first.flatMap { pid_t($0) } ?? 0
            #expect(kill(process, 0) == -1 && errno == ESRCH)
        }
    }

    @Test("a worker has its own process group, no input, no descriptors and no secrets")
    func isolation() async throws {
        unsafe setenv("WORKER_TEST_SECRET", "secret", 1)
        let held = unsafe open("/dev/null", O_RDONLY)
        try #require(held >= 0)
        defer { close(held) }
        let report = await worker(
            "echo $$; cut -d' ' -f5 /proc/$$/stat; cat | wc -c; ls /proc/$$/fd | tr '\\n' ' '; env"
        ).run()
        let lines = text(report.output).split(separator: "\n").map(String.init)
        try #require(lines.count > 3)
        #expect(lines[0] == lines[1])
        #expect(lines[2] == "0")
        // The shell's own copy of its script's descriptor is above 9.
        let descriptors = lines[3].split(separator: " ").compactMap { Int($0) }
        #expect(descriptors.filter { $0 < 10 } == [0, 1, 2])
        #expect(!text(report.output).contains("secret"))
        #expect(text(report.output).contains("SWIFT_BACKTRACE=enable=no"))
    }

    @Test("a worker that exceeds the time limit is killed, with the processes it started")
    func timedOut() async {
        let report = await worker("sleep 1000 & echo $!; wait", wallSeconds: 5).run()
        #expect(report.ending == .timedOut)
        let other = pid_t(text(report.output).dropLast()) ?? 0
        #expect(await eventually { hasEnded(other) })
    }

    /// Its new parent may not have reaped it yet; a zombie has no command line.
    private func hasEnded(_ process: pid_t) -> Bool {
        let command = FileManager.default.contents(atPath: "/proc/\(process)/cmdline")
        return command?.isEmpty ?? true
    }

    @Test("a worker that exceeds the output limit is killed")
    func outputLimitExceeded() async {
        let report = await worker("yes").run()
        #expect(report.ending == .outputLimitExceeded)
        #expect(report.output.count <= 1 << 20 + 1 << 16)
    }

    @Test("the start of standard error is kept, up to the limit")
    func errorPipe() async {
        let report = await worker("echo first >&2; head -c 1000000 /dev/zero >&2").run()
        #expect(report.ending == .exited(0))
        #expect(report.errorOutput.count == UploadWorkerProcess.errorBytesLimit)
        #expect(text(report.errorOutput).hasPrefix("first\n"))
    }

    @Test("a worker that closes its pipes and keeps running is killed")
    func closedPipes() async {
        let report = await worker("exec >&- 2>&-; sleep 1000").run()
        #expect(report.ending == .signalled(SIGKILL))
    }

    @Test("a missing program is reported as not started")
    func notStarted() async {
        let worker = UploadWorkerProcess(
            executable: "/nowhere", arguments: [], wallSecondsLimit: 1, outputBytesLimit: 1)
        #expect(await worker.run().ending == .notStarted(ENOENT))
    }

    @Test("a worker that is cancelled before it starts is killed")
    func cancelled() async {
        let task = Task { await worker("sleep 1000").run() }
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
        // The job waits for bytes of its file, which never arrive.
        let limits = UploadWorkerLimits().arguments(mappedBytes: 0).dropLast().joined(
            separator: " ")
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
        // The open returns once the job has opened the file, and by then the job is bound to its
        // parent.
        let writer = unsafe open(fifo, O_WRONLY)
        try #require(writer >= 0)
        defer { close(writer) }
        kill(parent.processIdentifier, SIGKILL)
        // Returns when the last process that could write to it has ended.
        #expect(try pipe.fileHandleForReading.readToEnd() ?? Data() == Data())
    }

    @Test(
        "every way in which a worker ends has a message",
        arguments: [
            (.exited(1), "", "could not be read (exit code 1)"),
            (.signalled(SIGXCPU), "", "exceeded the CPU time limit of 300 s"),
            (.signalled(SIGXFSZ), "", "exceeded the file size limit of 16 GiB"),
            (
                .signalled(SIGTRAP), "Fatal error: no memory for 1 bytes",
                "exceeded the memory limit of 2 GiB"
            ),
            (.signalled(SIGABRT), "", "crashed its worker process (signal 6)"),
            (.signalled(SIGKILL), "", "was killed by the system, probably for lack of memory"),
            (.timedOut, "", "exceeded the time limit of 1800 s"),
            (.outputLimitExceeded, "", "exceeded the output limit of its worker process"),
        ] as [(UploadWorkerTermination, String, String)])
    func words(ending: UploadWorkerTermination, errorOutput: String, reason: String) {
        #expect(ending.reason(limits: UploadWorkerLimits(), errorOutput: errorOutput) == reason)
    }
}
