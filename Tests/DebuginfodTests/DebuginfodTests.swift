import CallStacks
import Foundation
import Problems
import SymbolStores
import Symbolication
import Synchronization
import TestSupport
import Testing

@testable import Debuginfod

@Suite("debuginfod", .ownThreads)
struct DebuginfodTests {
    let folder: URL
    let server = DebuginfodServer()
    private let clock = Clock()

    init() throws {
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("symbolist-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    private final class Clock: Sendable {
        let ahead = Mutex<Int64>(0)
        var now: Int64 { Int64(Date().timeIntervalSince1970) + ahead.withLock { $0 } }
    }

    private var cache: DebuginfodCache {
        DebuginfodCache(path: folder.appendingPathComponent("debuginfod").path) { [clock] in
            clock.now
        }
    }

    private func client(
        _ urls: String..., change: (inout DebuginfodSettings) -> Void = { _ in }
    ) -> DebuginfodClient {
        var settings = DebuginfodSettings(urls: urls)
        settings.silenceSeconds = 60
        change(&settings)
        return DebuginfodClient(settings, keepingIn: cache)
    }

    private static let image = ImageID(bytes: [UInt8](repeating: 7, count: 20))!
    private static let path = "/buildid/\(image.hex)/debuginfo"

    private func library(_ number: UInt8 = 7) -> [UInt8] {
        var file = ELFBuilder.library(buildID: [UInt8](repeating: number, count: 20))
        file.add([.init("ripen", at: 0x1010, size: 0x10)])
        return file.bytes()
    }

    @Test("a file is fetched once, and cached for other runs")
    func fetched() async throws {
        server.answer(Self.path, .file(library()))
        try await server.serve { url in
            let file = try #require(await client(url).file(of: Self.image))
            #expect([UInt8](try Data(contentsOf: URL(fileURLWithPath: file))) == library())
            #expect(await client(url).file(of: Self.image) == file)
            #expect(server.requests == [Self.path])
            #expect(server.sizeLimits == ["\(Int64(4) << 30)"])
        }
    }

    @Test("redirects are followed, and the server's path prefix is kept")
    func redirected() async throws {
        server.answer("/mirror" + Self.path, .redirect("/elsewhere"))
        server.answer("/elsewhere", .file(library()))
        try await server.serve { url in
            #expect(await client("\(url)/mirror").file(of: Self.image) != nil)
        }
    }

    @Test("a miss is not requested again for ten minutes")
    func missed() async throws {
        try await server.serve { url in
            #expect(await client(url).file(of: Self.image) == nil)
            #expect(await client(url).file(of: Self.image) == nil)
            #expect(server.requests.count == 1)
            clock.ahead.withLock { $0 = 601 }
            server.answer(Self.path, .file(library()))
            #expect(await client(url).file(of: Self.image) != nil)
        }
    }

    @Test("old misses are removed")
    func oldMisses() async throws {
        try await server.serve { url in
            let other = ImageID(bytes: [UInt8](repeating: 8, count: 20))!
            _ = await client(url).file(of: Self.image)
            clock.ahead.withLock { $0 = 601 }
            _ = await client(url).file(of: other)
            let names = try FileManager.default.contentsOfDirectory(atPath: cache.path)
            #expect(names.count == 1)
            #expect(names.first?.hasPrefix(other.hex) == true)
        }
    }

    @Test("an error is reported and not remembered as a miss", arguments: [500, 503, 429])
    func errors(status: Int) async throws {
        server.answer(Self.path, .status(status))
        try await server.serve { url in
            let client = client(url)
            #expect(await client.file(of: Self.image) == nil)
            #expect(
                await client.problems.map(\.description) == [
                    "\(url): returned \(status): check DEBUGINFOD_URLS and the network"
                ])
            server.answer(Self.path, .file(library()))
            #expect(await self.client(url).file(of: Self.image) != nil)
        }
    }

    @Test("a server that does not respond is reported once")
    func silent() async throws {
        try await server.serve { url in
            let client = client(url) { $0.silenceSeconds = 1 }
            for number in UInt8(1)...2 {
                let image = ImageID(bytes: [UInt8](repeating: number, count: 20))!
                server.answer("/buildid/\(image.hex)/debuginfo", .silence)
                #expect(await client.file(of: image) == nil)
            }
            #expect(
                await client.problems.map(\.description) == [
                    "\(url): does not respond: check DEBUGINFOD_URLS and the network"
                ])
        }
    }

    @Test("a server that fails ten times in a minute gets no requests for a minute")
    func closed() async throws {
        server.answer(Self.path, .status(500))
        let start = ContinuousClock.now
        try await server.serve { [clock] url in
            let client = DebuginfodClient(DebuginfodSettings(urls: [url]), keepingIn: cache) {
                start.advanced(by: .seconds(clock.ahead.withLock { $0 }))
            }
            // The nine failures before the minute do not count.
            for (count, sent) in [(9, 9), (12, 19), (1, 20)] {
                for _ in 0..<count { #expect(await client.file(of: Self.image) == nil) }
                #expect(server.requests.count == sent)
                clock.ahead.withLock { $0 += 60 }
            }
        }
    }

    @Test("the headers of a file are sent, and lines that are no headers are left out")
    func headers() async throws {
        server.answer(Self.path, .file(library()))
        let file = folder.appendingPathComponent("headers")
        try Data("no header\n: x\nA B: c\nAuthorization: Bearer secret\r\n".utf8).write(to: file)
        try await server.serve { url in
            let settings = DebuginfodSettings(environment: [
                "DEBUGINFOD_URLS": url, "DEBUGINFOD_HEADERS_FILE": file.path,
            ])
            #expect(settings.headers.map(\.name) == ["Authorization"])
            let client = DebuginfodClient(settings, keepingIn: cache)
            #expect(await client.file(of: Self.image) != nil)
            #expect(server.tokens == ["Bearer secret"])
        }
        let none = DebuginfodSettings(environment: ["DEBUGINFOD_HEADERS_FILE": "/nowhere"])
        #expect(none.headers.isEmpty)
    }

    @Test("one server that has the file is enough, whatever the others do")
    func several() async throws {
        server.answer(Self.path, .file(library()))
        try await server.serve { url in
            let unreachable = "http://127.0.0.1:1"
            #expect(await client(unreachable, "\(url)/nothing", url).file(of: Self.image) != nil)
        }
    }

    @Test("a file of another identity, or one that is not a debug file, is rejected")
    func impostor() async throws {
        for bytes in [library(9), Array("not found".utf8), []] {
            server.answer(Self.path, .file(bytes))
            try await server.serve { url in
                let client = client(url)
                #expect(await client.file(of: Self.image) == nil)
                #expect(
                    await client.problems.map(\.description) == [
                        "\(url): sent a file of another image than \(Self.image): "
                            + "check DEBUGINFOD_URLS and the network"
                    ])
            }
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: cache.path).isEmpty)
    }

    @Test("a file larger than the limit is rejected")
    func tooLarge() async throws {
        server.answer(Self.path, .file(library()))
        let size = Int64(library().count)
        try await server.serve { url in
            #expect(await client(url) { $0.bytesLimit = size - 1 }.file(of: Self.image) == nil)
            #expect(await client(url) { $0.bytesLimit = size }.file(of: Self.image) != nil)
        }
    }

    @Test("an identity that may be Apple's is not sent, unless it is known to be a build ID")
    func privacy() async throws {
        let uuid = ImageID("1B4E28BA-2FA1-41D2-883F-B9A761BDE3FB")!
        try await server.serve { url in
            #expect(await client(url).file(of: uuid) == nil)
            #expect(server.requests.isEmpty)
            _ = await client(url).file(of: uuid, isBuildID: true)
            #expect(server.requests == ["/buildid/\(uuid.hex)/debuginfo"])
        }
    }

    @Test("a provider asks for an identity in the form of a UUID once it is known to be a build ID")
    func knownBuildIDs() async throws {
        let (reported, stripped) = (
            ImageID("1B4E28BA-2FA1-41D2-883F-B9A761BDE3FB")!,
            ImageID("2B4E28BA-2FA1-41D2-883F-B9A761BDE3FB")!
        )
        let file = folder.appendingPathComponent("lib")
        try Data(ELFBuilder.library(buildID: stripped.bytes).bytes()).write(to: file)
        try await server.serve { url in
            let local = LocalSymbolProvider(SymbolInventory(paths: [file.path]), cachedIn: nil)
            let symbols = DebuginfodSymbolProvider(
                asking: client(url), beyond: local, cachedIn: nil)
            await symbols.add(buildID: reported)
            for image in [reported, stripped, ImageID("3B4E28BA-2FA1-41D2-883F-B9A761BDE3FB")!] {
                _ = await symbols.symbols(for: image)
            }
            #expect(
                server.requests == [reported, stripped].map { "/buildid/\($0.hex)/debuginfo" })
        }
    }

    @Test("build IDs of any length are asked for", arguments: [1, 8, 15, 16, 17, 20, 32])
    func lengths(count: Int) async throws {
        let image = ImageID(bytes: [UInt8](repeating: 7, count: count))!
        var file = ELFBuilder.library(buildID: image.bytes)
        file.add([.init("ripen", at: 0x1010, size: 0x10)])
        server.answer("/buildid/\(image.hex)/debuginfo", .file(file.bytes()))
        try await server.serve { url in
            #expect(await client(url).file(of: image) != nil)
        }
    }

    @Test("the supplementary file of a fetched file is fetched too, by its build ID")
    func supplement() async throws {
        let build = projectFolder.appendingPathComponent("Fixtures/Dwz/dwarf5")
        let image = ImageID("165e42727066a7d108300821a9e3aef54e537a11")!
        let shared = "/buildid/f19d8bd1a91ea050e9769d0614f5ede25f89b4b8/debuginfo"
        let file = try Data(contentsOf: build.appendingPathComponent("pick.debug"))
        server.answer("/buildid/\(image.hex)/debuginfo", .file([UInt8](file)))
        for isThere in [false, true] {
            if isThere {
                let tray = try Data(contentsOf: build.appendingPathComponent(".dwz/tray"))
                server.answer(shared, .file([UInt8](tray)))
                clock.ahead.withLock { $0 = 601 }
            }
            try await server.serve { url in
                let local = LocalSymbolProvider(SymbolInventory(paths: []), cachedIn: nil)
                let symbols = DebuginfodSymbolProvider(
                    asking: client(url), beyond: local, cachedIn: nil)
                var lookup = OffsetLookup(provider: symbols)
                let answer = await lookup.result(for: image, at: ImageOffset(0x1040))
                #expect(
                    lookup.frames(of: answer).map { $0.function ?? "??" }
                        == (isThere
                            ? ["add_fruit", "fill_tray", "pick.cold"] : ["??", "??", "pick.cold"]))
                #expect(server.requests.last == shared)
            }
        }
    }

    @Test("local symbols have priority over those of servers")
    func provider() async throws {
        server.answer(Self.path, .file(library()))
        let other = ImageID(bytes: [UInt8](repeating: 9, count: 20))!
        try await server.serve { url in
            let local = LocalSymbolProvider(SymbolInventory(paths: []), cachedIn: nil)
            let symbols = DebuginfodSymbolProvider(
                asking: client(url), beyond: local, cachedIn: nil)
            var lookup = OffsetLookup(provider: symbols)
            let answer = await lookup.result(for: Self.image, at: ImageOffset(0x1018))
            #expect(lookup.frames(of: answer).map(\.function) == ["ripen"])
            #expect(await lookup.result(for: other, at: ImageOffset(1)).status == .missingImage)
            _ = await lookup.result(for: Self.image, at: ImageOffset(0x1011))
            #expect(server.requests.count == 2)
        }
    }

    @Test("servers are queried if there is only a local symbol table, which is the fallback")
    func symbolTableOnly() async throws {
        let file = folder.appendingPathComponent("lib")
        try Data(library()).write(to: file)
        try await server.serve { url in
            let local = LocalSymbolProvider(SymbolInventory(paths: [file.path]), cachedIn: nil)
            let symbols = DebuginfodSymbolProvider(
                asking: client(url), beyond: local, cachedIn: nil)
            var lookup = OffsetLookup(provider: symbols)
            let answer = await lookup.result(for: Self.image, at: ImageOffset(0x1018))
            #expect(answer.status == .symbolOnly)
            #expect(server.requests == [Self.path])
        }
    }

    @Test("settings are read like those of other clients, within bounds")
    func settings() {
        let none = DebuginfodSettings(environment: [:])
        #expect(none.urls.isEmpty)
        let all = DebuginfodSettings(environment: [
            "DEBUGINFOD_URLS": " https://a.example/ ima:enforcing\thttp://b.example/x//  ftp://c",
            "DEBUGINFOD_TIMEOUT": "90", "DEBUGINFOD_MAXTIME": "99999999999",
            "DEBUGINFOD_MAXSIZE": "1000",
        ])
        #expect(all.urls == ["https://a.example", "http://b.example/x"])
        #expect(all.silenceSeconds == 90)
        #expect(all.downloadSeconds == 86_400)
        #expect(all.bytesLimit == 1_000)
        let odd = DebuginfodSettings(environment: [
            "DEBUGINFOD_TIMEOUT": "0", "DEBUGINFOD_MAXTIME": "-1", "DEBUGINFOD_MAXSIZE": "x",
            "DEBUGINFOD_URLS": (0..<40).map { "http://\($0).example" }.joined(separator: " "),
        ])
        #expect(odd.silenceSeconds == none.silenceSeconds)
        #expect(odd.downloadSeconds == none.downloadSeconds)
        #expect(odd.bytesLimit == none.bytesLimit)
        #expect(odd.urls.count == 16)
    }
}
