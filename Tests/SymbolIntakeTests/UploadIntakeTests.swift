import CallStacks
import DebugFiles
import Foundation
import Problems
import SymbolIntake
import SymbolStores
import TestSupport
import Testing

@Suite("Bundle intake", .ownThreads)
struct UploadIntakeTests {
    @Test("a dSYM file is stored as blob, index and row, and lookups use it")
    func dSYM() async throws {
        let intake = try Intake()
        let answers = try await intake.upload(Orchard.kitDSYM, named: "OrchardKit")
        let answer = try #require(answers.first)
        #expect(answers.count == 1)
        #expect(answer.image == Orchard.kit)
        #expect(answer.architecture == "arm64")
        #expect(answer.name == "OrchardKit")
        #expect(answer.kind == "dsym")
        #expect(answer.status == .indexed)
        #expect(answer.quality == .full)
        #expect(answer.reason == nil)
        #expect(intake.arrived == [Orchard.kit])
        let digest = "2939f1bb89a5987b977dc6ced18853552b25bc006aa94edcb581e0ced9a5b06e"
        #expect(
            intake.files == [
                "blobs/29/\(digest.dropFirst(2)).zst",
                "indexes/\(Orchard.kit.hex)-arm64-\(digest.prefix(32)).symidx",
            ])
        let row = try #require(intake.catalogue.files.first)
        let original = projectFolder.appendingPathComponent(Orchard.kitDSYM).path
        let blob = try intake.soleFile(in: "blobs")
        #expect(row.blob == digest)
        #expect(row.byteCount == size(of: original))
        #expect(row.storedByteCount == size(of: blob))
        #expect(
            await intake.names(Orchard.kit, at: Orchard.inlinedOffset)
                == ["hash_weight", "hash_row"])
    }

    private func size(of path: String) -> Int64? {
        (try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? Int64
    }

    @Test("packed symbols of a stripped program are read in the worker process")
    func packedSymbols() async throws {
        var names = ELFBuilder.library()
        names.add([.init("hidden", at: 0x1020, size: 8, binding: 0)])
        var program = ELFBuilder.library()
        program.sections.append(
            .init(".gnu_debugdata", contents: try xzStream(names.bytes())))
        let intake = try Intake()
        let answer = try #require(try await intake.upload(program.bytes()).first)
        #expect(answer.quality == .symbols)
        #expect(
            await intake.names(try #require(answer.image), at: ImageOffset(0x1024)) == ["hidden"])
    }

    @Test("the slices of a universal file share one blob, and each has an index")
    func universal() async throws {
        let intake = try Intake()
        let answers = try await intake.upload(Orchard.universal)
        #expect(answers.map(\.architecture) == ["x86_64", "arm64"])
        #expect(answers.map(\.image) == [Orchard.universalX86, Orchard.universalArm])
        #expect(answers.allSatisfy { $0.status == .indexed })
        #expect(intake.files.count { $0.hasPrefix("blobs/") } == 1)
        #expect(intake.files.count { $0.hasPrefix("indexes/") } == 2)
        let sizes = Set(intake.catalogue.files.map(\.storedByteCount))
        #expect(sizes.count == 1 && sizes.first ?? 0 > 0)
    }

    @Test("a folder is searched, and its stripped images are duplicates of their debug files")
    func folder() async throws {
        let intake = try Intake()
        let answers = try await intake.upload(Orchard.symbols, build: Orchard.build)
        let kits = answers.filter { $0.image == Orchard.kit }
        #expect(Set(kits.map(\.status)) == [.indexed, .duplicate])
        #expect(
            Set(answers.map(\.name)) == [
                "Orchard.app/Orchard", "Orchard.app/Frameworks/OrchardKit.framework/OrchardKit",
                "Orchard.app.dSYM/Contents/Resources/DWARF/Orchard",
                "OrchardKit.framework.dSYM/Contents/Resources/DWARF/OrchardKit",
            ])
        #expect(intake.catalogue.files.count == 2)
        #expect(intake.tidings.count == 1)
        #expect(Set(intake.arrived) == Set(intake.catalogue.files.map(\.image)))
        let builds = try await intake.catalogue.builds(app: nil)
        #expect(builds.map(\.build) == [Orchard.build])
        #expect(Set(builds.flatMap { $0.images.map(\.image.name) }) == ["Orchard", "OrchardKit"])
        // A row has the name of the file, as if it had been uploaded alone.
        #expect(Set(intake.catalogue.files.map(\.name)) == ["Orchard", "OrchardKit"])
        #expect(intake.symbols.appImages().contains(Orchard.kit))
    }

    @Test("no more uploads are unpacked at a time than there are workers")
    func concurrentUnpacking() async throws {
        let script = try Intake()
        let counts = script.folder.appendingPathComponent("counts")
        let counting = try script.wrapper(
            #"[ "$2" = list ] && ls -d "$4"/../../*/contents | wc -l >>'\#(counts.path)'"#)
        let intake = try Intake { $0.executable = counting }
        try await withThrowingTaskGroup(of: [IntakeResult].self) { group in
            for number in 1...8 {
                group.addTask { try await intake.upload(library(UInt8(number))) }
            }
            for try await answers in group { #expect(answers.map(\.status) == [.stored]) }
        }
        let unpacked = try String(contentsOf: counts, encoding: .utf8).split(separator: "\n")
            .compactMap { Int($0.trimmingCharacters(in: .whitespaces)) }
        #expect(unpacked.count == 8)
        #expect(unpacked.allSatisfy { 1...2 ~= $0 }, "\(unpacked)")
    }

    @Test("the same file is a duplicate the second time")
    func duplicate() async throws {
        let intake = try Intake()
        _ = try await intake.upload(Orchard.kitDSYM)
        let files = intake.files
        let answers = try await intake.upload(Orchard.kitDSYM)
        #expect(answers.map(\.status) == [.duplicate])
        #expect(answers.first?.reason == "a file with the same or more information is stored")
        #expect(intake.files == files)
        #expect(intake.arrived.count == 1)
    }

    @Test("a better file replaces a worse one and its blob")
    func better() async throws {
        let intake = try Intake()
        let first = try await intake.upload(Orchard.strippedKit)
        #expect(first.map(\.status) == [.stored])
        #expect(first.first?.reason?.hasPrefix("no-debug-info: has no debug information") == true)
        #expect(await intake.names(Orchard.kit, at: Orchard.inlinedOffset) != ["missing_image"])
        let second = try await intake.upload(Orchard.kitDSYM)
        #expect(second.map(\.status) == [.indexed])
        #expect(intake.files.count == 2)
        #expect(intake.arrived == [Orchard.kit, Orchard.kit])
        #expect(
            await intake.names(Orchard.kit, at: Orchard.inlinedOffset)
                == ["hash_weight", "hash_row"])
    }

    @Test("a worse file and one that is as good replace nothing")
    func worse() async throws {
        let intake = try Intake()
        _ = try await intake.upload(Orchard.kitDSYM)
        #expect(try await intake.upload(Orchard.strippedKit).map(\.status) == [.duplicate])
        #expect(try await intake.upload(library(1)).map(\.status) == [.stored])
        let files = intake.files
        let other = try await intake.upload(library(1, function: "g"))
        #expect(other.map(\.status) == [.duplicate])
        #expect(other.first?.quality == .symbols)
        #expect(intake.files == files)
        #expect(await intake.names(identity(1)) == ["f"])
    }

    @Test("uploading a file again restores its lost blob")
    func lostBlob() async throws {
        let intake = try Intake()
        _ = try await intake.upload(Orchard.kitDSYM)
        let files = intake.files
        try FileManager.default.removeItem(atPath: intake.soleFile(in: "blobs"))
        #expect(try await intake.upload(Orchard.kitDSYM).map(\.status) == [.duplicate])
        #expect(intake.files == files)
    }

    @Test("concurrent uploads of one file store it once")
    func sameAtOnce() async throws {
        let intake = try Intake()
        let statuses = try await withThrowingTaskGroup(of: [IntakeResult].self) { group in
            for _ in 0..<6 { group.addTask { try await intake.upload(library(1)) } }
            return try await group.reduce(into: []) { $0 += $1.map(\.status) }
        }
        #expect(statuses.count { $0 == .stored } == 1)
        #expect(statuses.count { $0 == .duplicate } == 5)
        #expect(intake.files.count == 2)
    }

    @Test("an unusable file is rejected with the reason, and leaves nothing behind")
    func rejected() async throws {
        let intake = try Intake()
        let nameless = ELFBuilder.library(buildID: nil).bytes()
        let uploads: [(bytes: [UInt8], reason: String)] = [
            (nameless, "-Wl,--build-id"), (Array("a text".utf8), "is not a Mach-O or ELF file"),
            ([], "is empty"), (Array("!<arch>\n".utf8), "is a static library"),
            (ELFBuilder.library().bytes(), "has neither debug information nor symbols"),
            (Array(library(1).prefix(200)), "is truncated"),
        ]
        for (bytes, reason) in uploads {
            let answers = try await intake.upload(bytes, named: "../thing\n")
            #expect(answers.map(\.status) == [.rejected])
            #expect(answers.first?.reason?.contains(reason) == true, "\(answers)")
            #expect(answers.first?.name == "thing")
        }
        #expect(intake.files == [])
        #expect(intake.arrived == [])
    }

    @Test("bytes of a name that are not UTF-8 are shown and stored as U+FFFD")
    func nameOfBytes() async throws {
        let intake = try Intake()
        let answers = try await intake.upload(
            library(1), named: "x/" + pathText(of: [0x4b, 0xe9, 0x74]))
        #expect(answers.map(\.name) == ["K\u{fffd}t"])
        #expect(intake.catalogue.files.map(\.name) == ["K\u{fffd}t"])
    }

    @Test("a full catalogue is reported as such, and the upload can be repeated")
    func full() async throws {
        let intake = try Intake()
        intake.catalogue.error = StorageError(
            Problem("catalogue", detail: "disk is full"), isFull: true)
        let error = await #expect(throws: IntakeError.self) { try await intake.upload(library(1)) }
        #expect(error?.reason == .full)
        #expect(error?.description == "catalogue: disk is full")
        #expect(!intake.files.contains { $0.hasPrefix("incoming/") })
        #expect(intake.arrived == [])
        #expect(await intake.names(identity(1)) == ["missing_image"])
        intake.catalogue.error = nil
        #expect(try await intake.upload(library(1)).map(\.status) == [.stored])
        #expect(await intake.names(identity(1)) == ["f"])
    }

    @Test("unfinished uploads of an earlier run are removed at the start")
    func leftovers() async throws {
        let intake = try Intake()
        _ = try await intake.upload(library(1))
        let files = intake.files
        let draft = intake.storage.folders.newIncomingPath()
        try Data(library(2)).write(to: URL(fileURLWithPath: draft))
        try intake.storage.prepare()
        #expect(intake.files == files)
    }
}
