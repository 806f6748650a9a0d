import Archives
import ByteReading
import CallStacks
import ContractServer
import DebugFiles
import Foundation
import TestSupport
import Testing

@testable import ServiceClient

@Suite("Upload", .ownThreads)
struct UploadTests {
    let folder: TestFolder
    let server = ContractServer()

    init() throws { folder = try TestFolder() }

    @Test("only files that the server lacks are sent, with the build and their names")
    func missing() async throws {
        for number: UInt8 in 1...3 { try folder.write(library(number), to: "a/lib ø,\(number).so") }
        server.change { $0.images = [identity(2)] }
        try await server.serve { url in
            let result = try await folder.inputs("a").upload(to: url, token: "secret")
            #expect(result.rows.map(\.status) == [.uploaded, .present, .uploaded])
            #expect(!result.hasFailures)
            #expect(result.ending == nil)
        }
        let questions = server.requests("POST", "/v1/symbols/missing")
        #expect(
            questions.map(\.query) == [
                ["app": build.app, "version": build.version, "build": build.build]
            ], "the server adds what it has already to the build")
        let uploads = server.requests("POST", "/v1/symbols").sorted {
            ($0.query["name"] ?? "") < ($1.query["name"] ?? "")
        }
        #expect(uploads.map(\.images) == [[identity(1)], [identity(3)]])
        #expect(
            uploads.first?.query == [
                "app": build.app, "version": build.version, "build": build.build,
                "name": "lib ø,1.so",
            ])
        #expect(server.allRequests.allSatisfy { $0.authorization == "Bearer secret" })
    }

    @Test("the symbol map of a build that hid names is sent first, even if its dSYM is there")
    func symbolMaps() async throws {
        let original = "C8374B6D-6E96-34D8-AE38-EFAA5FEC424F"
        let image = ImageID(bytes: Array(1...16))!
        var dSYM = MachOBuilder.library()
        dSYM.fileType = 10
        dSYM.uuid = image.bytes
        dSYM.symbols = [.init("__hidden#1_", at: 0x1_0000_1000)]
        try folder.write(dSYM.bytes(), to: "a/Orchard")
        let list = "<dict><key>DBGOriginalUUID</key><string>\(original)</string></dict>"
        try folder.write(Array(list.utf8), to: "a/\(image).plist")
        let map = "BCSymbolMap Version: 2.0\n_other\n-[Crate open]"
        try folder.write(Array(map.utf8), to: "a/\(original).bcsymbolmap")
        let names = ["\(image).plist", "\(original).bcsymbolmap"]
        try await server.serve { url in
            let result = try await folder.inputs("a").upload(to: url)
            #expect(result.rows.map(\.status) == [.uploaded])
            let again = try await folder.inputs("a").upload(to: url)
            #expect(again.rows.map(\.status) == [.present])
        }
        let uploads = server.requests("POST", "/v1/symbols")
        #expect(uploads.map(\.fileNames) == [names, ["body"], names])
        #expect(uploads.map(\.images) == [[], [image], []])
    }

    @Test("if nothing is missing, nothing is sent")
    func nothingMissing() async throws {
        try folder.write(library(1), to: "a/x")
        server.change { $0.images = [identity(1)] }
        try await server.serve { url in
            let result = try await folder.inputs("a").upload(to: url)
            #expect(result.rows.map(\.status) == [.present])
        }
        #expect(server.allRequests.map(\.path) == ["/v1/symbols/missing"])
    }

    @Test("of a universal file, exactly the missing slice is sent")
    func universal() async throws {
        let bundle = "\(projectFolder.path)/Symbols/orchard-1.4.0-universal/Orchard.app.dSYM"
        let inputs = UploadInputs(paths: [bundle], unpackingIn: nil)
        try #require(inputs.slices.count == 2)
        #expect(inputs.fileCount == 1)
        let slice = inputs.slices[1]
        server.change { $0.images = [inputs.slices[0].image] }
        try await server.serve { url in
            let result = try await inputs.upload(to: url)
            try #require(result.rows.map(\.status) == [.present, .uploaded])
            #expect(result.rows[1].sentByteCount < result.rows[1].byteCount)
        }
        let uploads = server.requests("POST", "/v1/symbols")
        #expect(uploads.map(\.images) == [[slice.image]])
        #expect(uploads.map { $0.query["name"] } == ["Orchard"])
    }

    @Test("a second run sends only what was not stored")
    func continued() async throws {
        for number: UInt8 in 1...4 { try folder.write(library(number), to: "a/\(number)") }
        server.change {
            $0.scriptedResponses["/v1/symbols"] = [
                .init(413, message: "bundle: 9 MB, limit is 8 MB")
            ]
        }
        try await server.serve { url in
            let first = try await folder.inputs("a").upload(to: url) { $0.jobs = 1 }
            try #require(first.rows.map(\.status) == [.failed, .uploaded, .uploaded, .uploaded])
            #expect(
                first.rows[0].reason == "\(url): returned 413 (bundle: 9 MB, limit is 8 MB)")
            let second = try await folder.inputs("a").upload(to: url)
            #expect(second.rows.map(\.status) == [.uploaded, .present, .present, .present])
        }
        #expect(server.requests("POST", "/v1/symbols").count == 5)
    }

    @Test("the best file of an image is sent, or the first of equals")
    func duplicates() async throws {
        try folder.write(library(1), to: "a/1")
        try folder.write(library(1), to: "a/2")
        let symbols = "\(projectFolder.path)/Symbols/linux-cpp-gcc-dwarf4"
        for (from, to) in [("press", "1.stripped"), ("press.debug", "2.debug")] {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: "\(symbols)/\(from)"))
            try folder.write(Array(bytes), to: "b/\(to)")
        }
        let inputs = folder.inputs("a", "b")
        // The stripped program goes with its debug file, which lacks the code, and after it.
        #expect(inputs.slices.map(\.name) == ["1", "2.debug", "1.stripped"])
        #expect(inputs.slices.map(\.quality) == [.symbols, .full, .nothing])
        #expect(inputs.slices.map(\.isExecutable) == [false, false, true])
        #expect(inputs.skipped.map(\.name) == ["2"])
        #expect(inputs.fileCount == 4)
        try await server.serve { url in _ = try await inputs.upload(to: url) }
        let sent = server.requests("POST", "/v1/symbols").map { $0.query["name"] }
        #expect(sent.last == "1.stripped")
    }

    @Test("files without identity or symbols are skipped and reported")
    func skipped() throws {
        try folder.write(ELFBuilder.library(buildID: nil).bytes(), to: "a/none")
        try folder.write(
            ELFBuilder.library(buildID: identity(1).bytes).bytes(), to: "a/empty")
        let inputs = folder.inputs("a")
        #expect(inputs.slices.isEmpty)
        #expect(inputs.skipped.map(\.reason) == ["no-identity", "has no symbols"])
    }

    @Test("files in archives are sent like those in folders")
    func archives() async throws {
        var zip = ZipBuilder()
        zip.add("X.dSYM\\Contents\\Resources\\DWARF\\X", library(1))
        try folder.write(zip.bytes(), to: "x.zip")
        try await server.serve { url in
            let result = try await folder.inputs("x.zip").upload(to: url)
            #expect(result.rows.map(\.status) == [.uploaded])
        }
        #expect(server.requests("POST", "/v1/symbols").map { $0.query["name"] } == ["X"])
    }

    @Test("no request has more than 1,000 images")
    func questions() async throws {
        for number in 0..<1_001 {
            var file = ELFBuilder.library(
                buildID: [1, UInt8(number >> 8), UInt8(number & 255)])
            file.add([.init("f", at: 0x1010, size: 0x10)])
            try folder.write(file.bytes(), to: "a/\(number)")
        }
        let inputs = folder.inputs("a")
        server.change { $0.images = Set(inputs.slices.map(\.image)) }
        try await server.serve { url in
            let result = try await inputs.upload(to: url)
            #expect(result.rows.count == 1_001)
            #expect(result.rows.allSatisfy { $0.status == .present })
        }
        #expect(server.allRequests.count == 2)
    }

    @Test("a dry run only sends queries, a forced run sends everything without queries")
    func dryAndForced() async throws {
        try folder.write(library(1), to: "a/1")
        try folder.write(library(2), to: "a/2")
        server.change { $0.images = [identity(1)] }
        try await server.serve { url in
            let dry = try await folder.inputs("a").upload(to: url) { $0.isDryRun = true }
            #expect(dry.rows.map(\.status) == [.present, .missing])
            #expect(server.allRequests.map(\.path) == ["/v1/symbols/missing"])
            #expect(
                server.allRequests.map { $0.query["record"] } == ["false"],
                "nothing is added to the build")
            let forced = try await folder.inputs("a").upload(to: url) { $0.isForced = true }
            #expect(forced.rows.map(\.status) == [.uploaded, .uploaded])
            #expect(server.allRequests.count == 3)
        }
    }

    @Test("a replacing upload sends everything without a query, and is marked as replacing")
    func replacement() async throws {
        try folder.write(library(1), to: "a/1")
        server.change { $0.images = [identity(1)] }
        try await server.serve { url in
            let result = try await folder.inputs("a").upload(to: url) { $0.replaces = true }
            #expect(result.rows.map(\.status) == [.uploaded])
        }
        #expect(server.allRequests.map(\.path) == ["/v1/symbols"])
        #expect(server.allRequests.map { $0.query["replace"] } == ["true"])
    }

    @Test("serialised Swift modules are not sent, unless requested")
    func swiftModules() async throws {
        var numbers = SplitMix64(seed: 1)
        let modules = (0..<100_000).map { _ in UInt8.random(in: 0...255, using: &numbers) }
        var dSYM = MachOBuilder.library()
        dSYM.fileType = 10
        dSYM.segments.append(
            .init(
                "__DWARF", at: 0x2_0000_0000,
                [
                    .init("__debug_info", contents: [1]), .init("__swift_ast", contents: modules),
                    .init("__debug_str", contents: Array("orchard".utf8)),
                ]))
        dSYM.symbols = [.init("_pick", at: 0x1_0000_1000)]
        var program = ELFBuilder.library(buildID: identity(2).bytes)
        program.add([.init("pick", at: 0x1010, size: 0x10)])
        program.sections.append(.init(".swift_ast", contents: modules))
        try folder.write(dSYM.bytes(), to: "a/dsym")
        try folder.write(program.bytes(), to: "a/elf")
        try await server.serve { url in
            let stripped = try await folder.inputs("a").upload(to: url) { $0.isForced = true }
            #expect(stripped.rows.map(\.status) == [.uploaded, .uploaded])
            #expect(stripped.rows.allSatisfy { (1..<5_000).contains($0.sentByteCount) })
            let whole = try await folder.inputs("a").upload(to: url) {
                $0.isForced = true
                $0.keepsSwiftModules = true
            }
            #expect(whole.rows.allSatisfy { $0.sentByteCount > 100_000 })
            #expect(
                Set(server.requests("POST", "/v1/symbols").map(\.images)) == [
                    [ImageID(bytes: Array(1...16))!], [identity(2)],
                ])
        }
    }

    @Test("a section of Swift modules is the only change, wherever it is in the file")
    func blanking() throws {
        let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7 / 3) | 1 }
        for blank in [0..<0, 0..<10, 5..<2_000_000, 1_048_576..<1_048_577, 2_999_990..<3_000_000] {
            let file = try CompressedCopy(
                packing: FileBytes(bytes), named: "x", in: folder.url.path, blank: blank)
            try folder.write(file.bytes(at: 0, count: Int(file.byteCount)), to: "x.zst")
            let archive = try UnpackedArchive(
                of: folder.path("x.zst"), name: "x", into: folder.path("\(blank)")
            ) { _ in true }
            let unpacked = try #require(archive.files.first)
            var expected = bytes
            expected.replaceSubrange(blank, with: [UInt8](repeating: 0, count: blank.count))
            let found = try Data(contentsOf: URL(fileURLWithPath: unpacked.path))
            #expect([UInt8](found) == expected)
        }
    }

    @Test("a file is sent with its split units, and again if the server has it without them")
    func splitUnits() async throws {
        let folder = "\(projectFolder.path)/Symbols/linux-c-split-dwarf5"
        let image = ImageID("f9164269e49d6b62c041375329bd87c93248abe9")!
        let inputs = UploadInputs(paths: [folder], unpackingIn: nil)
        #expect(inputs.slices.map(\.name) == ["seeds.debug", "seeds"])
        #expect(inputs.slices.map(\.quality) == [.full, .nothing])
        #expect(inputs.slices.flatMap(\.warnings) == [])
        try await server.serve { url in
            for (quality, count) in [(nil, 1), ("full", 1), ("lines", 2)] as [(String?, Int)] {
                if let quality {
                    server.change {
                        $0.lists["/v1/symbols"] =
                            #"{"files": [{"uuid": "\#(image)", "quality": "\#(quality)"}]}"#
                    }
                }
                _ = try await inputs.upload(to: url)
                let sent = server.requests("POST", "/v1/symbols").filter {
                    $0.query["name"] == "seeds.debug.tar.zst"
                }
                #expect(sent.count == count)
                #expect(sent.allSatisfy { $0.fileNames == ["seeds.debug", "seeds.debug.dwp"] })
            }
        }
    }

    @Test("a supplementary file is sent before the debug files that refer to it")
    func supplements() async throws {
        let folder = "\(projectFolder.path)/Fixtures/Dwz/dwarf5"
        let inputs = UploadInputs(paths: [folder], unpackingIn: nil)
        #expect(inputs.slices.map(\.quality) == [.full, .full, .nothing])
        #expect(inputs.skipped.isEmpty)
        try await server.serve { url in
            _ = try await inputs.upload(to: url) { $0.jobs = 1 }
        }
        let sent = server.requests("POST", "/v1/symbols").map { $0.query["name"] }
        #expect(sent == ["tray", "pack.debug", "pick.debug"])
    }

    @Test("names of any length and their contents are in an archive")
    func archives() throws {
        let long = String(repeating: "a/", count: 60) + "seeds.dwo"
        let file = try CompressedCopy(
            packing: [("x", FileBytes([1, 2, 3])), (long, FileBytes([])), ("z", FileBytes([4]))],
            in: folder.url.path)
        try folder.write(file.bytes(at: 0, count: Int(file.byteCount)), to: "x.tar.zst")
        let archive = try UnpackedArchive(
            of: folder.path("x.tar.zst"), name: "x", into: folder.path("unpacked")
        ) { _ in true }
        #expect(archive.files.map(\.name) == ["x", long, "z"])
        #expect(
            try archive.files.map { [UInt8](try Data(contentsOf: URL(fileURLWithPath: $0.path))) }
                == [[1, 2, 3], [], [4]])
    }

    @Test("patterns select files")
    func selection() throws {
        for name in ["a/Orchard.app.dSYM/x", "a/Press.dSYM/x", "b/Orchard.app.dSYM/y"] {
            try folder.write(library(UInt8(name.utf8.last! & 15), functions: [name]), to: name)
        }
        let inputs = UploadInputs(
            paths: [folder.url.path], unpackingIn: nil,
            choosing: PathFilter(including: ["Orchard*"], excluding: ["b/*"]))
        #expect(inputs.slices.map(\.path) == [folder.path("a/Orchard.app.dSYM/x")])
        #expect(inputs.fileCount == 1)
    }

    @Test("a rejected file fails with the reason, and so does one missing from the response")
    func rejected() async throws {
        try folder.write(library(1), to: "a/1")
        server.change { $0.rejection = "no debug file" }
        try await server.serve { url in
            let result = try await folder.inputs("a").upload(to: url)
            #expect(result.rows.map(\.status) == [.failed])
            #expect(result.rows.map(\.reason) == ["no debug file"])
            server.change { $0.lists["/v1/symbols"] = #"{"files": []}"# }
        }
    }

    @Test("required images need debug information, in the inputs or on the server")
    func required() async throws {
        let symbols = "\(projectFolder.path)/Symbols/linux-cpp-gcc-dwarf4/press.debug"
        let debug = Array(try Data(contentsOf: URL(fileURLWithPath: symbols)))
        try folder.write(debug, to: "a/press.debug")
        try folder.write(library(3), to: "a/3")
        let inputs = folder.inputs("a")
        let given = try #require(inputs.slices.first { $0.name == "press.debug" }).image
        server.change { $0.images = [identity(1)] }
        try await server.serve { url in
            let required = [given, identity(1), identity(2), identity(3)].map { RequiredImage($0) }
            let result = try await inputs.upload(to: url, requiring: required) {
                $0.isDryRun = true
            }
            #expect(result.unmet.map(\.image) == [identity(2), identity(3)])
            #expect(result.hasFailures)
        }
    }

    @Test("the images of a product are those that run, not their debug files")
    func product() {
        let build = "\(projectFolder.path)/Symbols/orchard-1.4.0-arm64-release-dwarf4"
        let product = ProductImages(paths: [build], unpackingIn: nil)
        #expect(
            product.images.map(\.name).compactMap(\.self).sorted() == ["Orchard", "OrchardKit"])
        #expect(product.images.allSatisfy { $0.architecture == "arm64" })
        #expect(product.problems.isEmpty)
    }
}
