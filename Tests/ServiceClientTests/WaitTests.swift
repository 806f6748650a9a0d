import CallStacks
import ContractServer
import Foundation
import TestSupport
import Testing

@testable import ServiceClient

@Suite("Waiting for indexes", .ownThreads)
struct WaitTests {
    let folder: TestFolder
    let server = ContractServer()
    let delays = Delays()

    init() throws {
        folder = try TestFolder()
        let symbols = "\(projectFolder.path)/Symbols/linux-cpp-gcc-dwarf4/press.debug"
        try folder.write(Array(try Data(contentsOf: URL(fileURLWithPath: symbols))), to: "a/press")
    }

    private func upload(_ url: String, _ limit: Duration?) async throws -> UploadResult {
        try await folder.inputs("a").upload(to: url, delays: delays) { $0.waitLimit = limit }
    }

    @Test("the wait ends as soon as everything is indexed")
    func slow() async throws {
        server.change { $0.pollsUntilIndexed = 4 }
        try await server.serve { url in
            let result = try await upload(url, .seconds(30))
            #expect(result.unindexed.isEmpty)
            #expect(!result.hasFailures)
        }
        #expect(server.requests("GET", "/v1/symbols").count == 4)
        #expect(delays.all == [.milliseconds(250), .milliseconds(500), .seconds(1), .seconds(2)])
    }

    @Test("when the time is up the wait ends and lists the files not indexed yet")
    func tooSlow() async throws {
        server.change { $0.pollsUntilIndexed = 100 }
        try await server.serve { url in
            let result = try await upload(url, .seconds(1))
            #expect(result.unindexed.count == 1)
            #expect(!result.hasFailures)
            #expect(result.ending == nil)
        }
        #expect(delays.all.reduce(.zero, +) == .seconds(1))
    }

    @Test("files with symbols only are not waited for")
    func symbolsOnly() async throws {
        try folder.write(library(1), to: "b/1")
        server.change { $0.pollsUntilIndexed = 100 }
        try await server.serve { url in
            let result = try await folder.inputs("b").upload(to: url, delays: delays) {
                $0.waitLimit = .seconds(30)
            }
            #expect(result.unindexed.isEmpty)
        }
        #expect(delays.all.isEmpty)
    }

    @Test("without a limit there is no wait")
    func noWait() async throws {
        server.change { $0.pollsUntilIndexed = 100 }
        try await server.serve { url in _ = try await upload(url, nil) }
        #expect(delays.all.isEmpty)
    }
}
