import CallStacks
import ContractServer
import Foundation
import TestSupport
import Testing

/// Symbols of ELF images, in each of the usual locations.
@Suite("Symbols of Linux images", .ownThreads)
struct LinuxSymbolTests {
    let workspace: Workspace
    let server = ContractServer()

    private static let build = "Symbols/linux-cpp-gcc-dwarf4"
    private static let image = "a236dd256e2fe7ef0dee80f4ac6618644b5d503a"
    private static let path = "/buildid/\(image)/debuginfo"
    private static let offset = "0x1300"

    init() throws { workspace = try Workspace() }

    private func lookup(
        _ arguments: [String], environment: [String: String] = [:]
    ) async throws -> Run {
        try await onOwnThread {
            try workspace.run(
                executable.path, ["lookup"] + arguments + [Self.image, Self.offset],
                input: "", environment: environment, in: workspace.folder)
        }
    }

    private func expected() async throws -> String {
        let run = try await lookup(["--symbols", Orchard.absolute("\(Self.build)/press.debug")])
        #expect(run.status == 0)
        #expect(run.text.contains(".cpp:"))
        return run.text
    }

    @Test("a stripped program finds the debug file next to it")
    func besideStripped() async throws {
        let run = try await lookup(["--symbols", Orchard.absolute("\(Self.build)/press")])
        #expect(run.text == (try await expected()))
        #expect(run.problems.isEmpty)
    }

    @Test("a .build-id tree is searched by build id")
    func buildIDTree() async throws {
        let file = "tree/.build-id/\(Self.image.prefix(2))/\(Self.image.dropFirst(2)).debug"
        try workspace.copy("\(Self.build)/press.debug", to: file)
        let run = try await lookup(["--symbols", "tree"])
        #expect(run.text == (try await expected()))
        #expect(run.problems.isEmpty)
    }

    @Test("lookup and atos find the debug file of a stripped program in folders for debug files")
    func debugFolders() async throws {
        let file = "debug/.build-id/\(Self.image.prefix(2))/\(Self.image.dropFirst(2)).debug"
        try workspace.copy("\(Self.build)/press.debug", to: file)
        try workspace.copy("\(Self.build)/press", to: "bin/press")
        let environment = ["SYMBOLIST_DEBUG_FOLDERS": try workspace.file("debug")]
        let run = try await lookup(["--symbols", "bin/press"], environment: environment)
        #expect(run.text == (try await expected()))
        let arguments = ["atos", "-o", "bin/press", "-offset", Self.offset]
        for (folders, isFound) in [(environment, true), ([:], false)] {
            let atos = try await onOwnThread {
                try workspace.run(
                    executable.path, arguments, input: "", environment: folders,
                    in: workspace.folder)
            }
            #expect(atos.text.contains(".cpp:") == isFound)
        }
    }

    @Test("split units that were not found are reported once, after the results")
    func missingSplitUnits() async throws {
        try workspace.copy("Symbols/linux-c-split-dwarf5/seeds.debug", to: "seeds.debug")
        let image = "f9164269e49d6b62c041375329bd87c93248abe9"
        let warning =
            "seeds.debug: functions and inlined calls are in .dwo files that were not found: "
            + "add them or the .dwp with --symbols"
        let commands = [
            ["lookup", "--symbols", "seeds.debug", image, "0x176c", "0x176d"],
            ["atos", "-o", "seeds.debug", "-offset", "0x176c", "0x176d"],
        ]
        for command in commands {
            func run() async throws -> Run {
                try await onOwnThread {
                    try workspace.run(
                        executable.path, command, input: "", environment: [:],
                        in: workspace.folder)
                }
            }
            #expect(try await run().problems == [warning])
            try workspace.copy("Symbols/linux-c-split-dwarf5/seeds.dwo", to: "seeds.dwo")
            #expect(try await run().problems.isEmpty)
            try FileManager.default.removeItem(atPath: workspace.file("seeds.dwo"))
        }
    }

    @Test("a debuginfod server is queried once for images that are missing or stripped")
    func debuginfod() async throws {
        let bytes = [UInt8](try Orchard.bytes("\(Self.build)/press.debug"))
        server.change { $0.debugFiles = [Self.path: bytes] }
        try workspace.copy("\(Self.build)/press", to: "stripped/press")
        try await server.serve { url in
            for symbols in ["stripped", "nothing"] {
                try FileManager.default.createDirectory(
                    atPath: try workspace.file("nothing"), withIntermediateDirectories: true)
                let run = try await lookup(
                    ["--debuginfod", "--symbols", symbols], environment: ["DEBUGINFOD_URLS": url])
                #expect(run.text == (try await expected()))
                #expect(run.status == 0)
            }
        }
        #expect(server.allRequests.map(\.path) == [Self.path])
    }

    @Test("servers are not queried without --debuginfod")
    func offByDefault() async throws {
        try workspace.copy("\(Self.build)/press", to: "stripped/press")
        try await server.serve { url in
            let run = try await lookup(
                ["--symbols", "stripped"], environment: ["DEBUGINFOD_URLS": url])
            #expect(run.status == 0)
            #expect(!run.text.contains(".cpp:"))
        }
        #expect(server.allRequests.isEmpty)
    }

    @Test("a failing server is named, and everything else works")
    func failingServer() async throws {
        try workspace.copy("\(Self.build)/press", to: "stripped/press")
        let run = try await lookup(
            ["--debuginfod", "--symbols", "stripped"],
            environment: ["DEBUGINFOD_URLS": "http://127.0.0.1:1"])
        #expect(run.status == 0)
        #expect(
            run.problems == [
                "http://127.0.0.1:1: does not respond: check DEBUGINFOD_URLS and the network"
            ])
        let none = try await lookup(["--debuginfod", "--symbols", "stripped"])
        #expect(
            none.problems == [
                "DEBUGINFOD_URLS: no server configured: set it to one or more URLs"
            ])
    }
}
