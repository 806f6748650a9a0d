import CallStacks
import Foundation
import Glibc
import Problems
import TestSupport
import Testing

@testable import SymbolIntake

/// Files that kill their worker processes, and workers that die for other reasons.
@Suite("Hostile uploads", .ownThreads)
struct HostileUploadTests {
    /// A library with a section that claims to inflate to more than the worker's memory limit.
    private static func inflating() -> [UInt8] {
        var file = ELFBuilder.library(buildID: identity(9).bytes)
        let stream = [UInt8](repeating: 0, count: 400_000)
        file.sections.append(
            .init(".zdebug_info", contents: zdebugSection(stream, declaredSize: 400_000_000)))
        return file.bytes()
    }

    @Test("a file that exceeds the memory limit is rejected, and the other file is stored")
    func memory() async throws {
        let intake = try Intake { $0.limits.memoryBytes = 128 << 20 }
        let bundle = intake.storage.folders.newIncomingPath()
        try FileManager.default.createDirectory(
            atPath: bundle, withIntermediateDirectories: false)
        try Data(Self.inflating()).write(to: URL(fileURLWithPath: bundle + "/a"))
        try Data(library(1)).write(to: URL(fileURLWithPath: bundle + "/b"))
        let answers = try await intake.bundles.process(
            fileAt: bundle, named: "bundle", options: UploadOptions(owner: .everyone))
        #expect(answers.map(\.name) == ["a", "b"])
        #expect(answers.map(\.status) == [.rejected, .stored])
        #expect(answers.first?.reason == "exceeded the memory limit of 128 MiB")
        #expect(await intake.names(identity(1)) == ["f"])
        #expect(intake.files.count == 2)
    }

    /// A library followed by a hole.
    private static func sparse(_ intake: Intake, byteCount: Int64) throws -> String {
        let path = intake.storage.folders.newIncomingPath()
        try Data(library(1)).write(to: URL(fileURLWithPath: path))
        try #require(unsafe truncate(path, off_t(byteCount)) == 0)
        return path
    }

    @Test("a huge sparse file is rejected for its CPU time")
    func processorTime() async throws {
        let intake = try Intake {
            $0.limits.processorSeconds = 1
            $0.limits.fileBytes = 1 << 40
        }
        let path = try Self.sparse(intake, byteCount: 1 << 38)
        let answers = try await intake.bundles.process(
            fileAt: path, named: "sparse", options: UploadOptions(owner: .everyone))
        #expect(answers.map(\.status) == [.rejected])
        #expect(answers.first?.reason == "exceeded the CPU time limit of 1 s")
        #expect(intake.files == [])
    }

    @Test("a file that exceeds the size limit is not read at all")
    func fileSize() async throws {
        let intake = try Intake()
        let path = try Self.sparse(intake, byteCount: 1 << 38)
        let answers = try await intake.bundles.process(
            fileAt: path, named: "sparse", options: UploadOptions(owner: .everyone))
        #expect(answers.map(\.reason) == ["is larger than 16 GiB"])
        #expect(intake.files == [])
    }

    @Test("a worker that is killed costs its file alone")
    func killed() async throws {
        let intake = try Intake()
        let killing = try intake.wrapper("case \"$2\" in index) kill -KILL $$;; esac")
        let other = try Intake { $0.executable = killing }
        let answers = try await other.upload(library(1))
        #expect(
            answers.map(\.reason) == ["was killed by the system, probably for lack of memory"])
        #expect(other.files == [])
    }

    @Test("an upload whose listing crashes is rejected, and the crash is reported")
    func crashedListing() async throws {
        let intake = try Intake()
        let crashing = try intake.wrapper("kill -SEGV $$")
        let other = try Intake { $0.executable = crashing }
        let answers = try await other.upload(library(1), named: "crash")
        #expect(answers.map(\.name) == ["crash"])
        #expect(answers.map(\.reason) == ["crashed its worker process (signal 11)"])
    }

    @Test(
        "invalid worker output is rejected",
        arguments: [
            #"{"path":"/etc/passwd","name":"a","bytes":1,"slices":[]}"#,
            #"{"path":"\#(#"$3"#)/../../../../etc/passwd","name":"a","bytes":1,"slices":[]}"#,
            #"{"path":"$3","name":"a","bytes":1,"slices":[{"uuid":"12","arch":"../x","kind":"dsym","warnings":[]}]}"#,
            #"{"name":"a"}"#, "[]", "nonsense", #"{"name":"a","reason":"b""#,
        ])
    func invalidOutput(line: String) async throws {
        let intake = try Intake()
        let escaped = line.replacingOccurrences(of: "\"", with: "\\\"")
        let invalid = try intake.wrapper("echo \"\(escaped)\"; exit 0")
        let other = try Intake { $0.executable = invalid }
        let answers = try await other.upload(library(1))
        #expect(answers.map(\.reason) == ["returned an invalid result from its worker process"])
        #expect(other.files == [])
    }

    @Test("an index of another image is rejected")
    func wrongIndex() async throws {
        let intake = try Intake()
        // The worker gets another identity than the service asked for.
        let wrong = try intake.wrapper(
            "case \"$2\" in index) : > \"$6\"; : > \"${7#--blob=}\"; "
                + "echo '{\"sha256\":\"\(String(repeating: "a", count: 64))\",\"quality\":4,"
                + "\"warnings\":[]}'; exit 0;; esac")
        let other = try Intake { $0.executable = wrong }
        let answers = try await other.upload(library(1))
        #expect(answers.map(\.reason) == ["returned an invalid result from its worker process"])
        #expect(other.catalogue.files == [])
        try await other.upkeep.removeOrphans()
        #expect(other.files == [])
    }

    @Test("a disk that is full during a worker's run is reported as such, and nothing stays")
    func fullDisk() async throws {
        let intake = try Intake()
        let full = try intake.wrapper(
            "case \"$2\" in index) : > \"$6\"; "
                + "echo '{\"failed\":\"disk is full\",\"full\":true}'; exit 0;; esac")
        let other = try Intake { $0.executable = full }
        let error = await #expect(throws: IntakeError.self) { try await other.upload(library(1)) }
        #expect(error?.reason == .full)
        #expect(error?.description == "disk is full")
        #expect(other.files == [])
    }

    @Test("a name that expands without end slows neither its index nor its lookup")
    func expandingName() async throws {
        let intake = try Intake()
        var name = "$sSi_SitSg"
        for letter in "ABCDEFGHIJKLMNOPQRSTUVWX" { name += "_A\(letter)tSg" }
        let answers = try await intake.upload(library(1, function: name + "D"))
        #expect(answers.map(\.status) == [.stored])
        let names = await intake.names(identity(1))
        #expect(names.count == 1)
        #expect((names.first?.utf8.count ?? .max) < 1 << 16)
    }

    @Test("cancelling an upload kills its worker and leaves nothing")
    func cancelled() async throws {
        let intake = try Intake()
        let fifo = intake.folder.appendingPathComponent("fifo").path
        try #require(unsafe mkfifo(fifo, 0o600) == 0)
        let waiting = try intake.wrapper(
            "case \"$2\" in index) echo $$ > '\(fifo)'; exec sleep 1000;; esac")
        let other = try Intake { $0.executable = waiting }
        let upload = Task { try await other.upload(library(1)) }
        let text = try FileHandle(forReadingFrom: URL(fileURLWithPath: fifo)).readToEnd() ?? Data()
        let process = try #require(pid_t(String(decoding: text.dropLast(), as: UTF8.self)))
        upload.cancel()
        let error = await #expect(throws: IntakeError.self) { try await upload.value }
        #expect(error?.reason == .cancelled)
        #expect(kill(process, 0) == -1 && errno == ESRCH)
        #expect(other.files == [])
    }
}
