import TestSupport
import Testing

@testable import HTTPService

@Suite("The route of the upload script", .ownThreads)
struct UploadScriptRouteTests {
    /// Returns the address in the script that a client gets.
    private func address(
        _ service: RunningService, _ headers: [String: String] = [:]
    ) async throws -> String {
        let answer = try await service.open("/upload.sh", headers)
        #expect(answer.status == 200)
        #expect(answer.header("cache-control") == "no-store")
        return String(try #require(answer.text.firstMatch(of: /default_server='([^']*)'/)).1)
    }

    @Test("the script contains the host of the request only if it is a name of the service")
    func host() async throws {
        try await RunningService.run {
            $0.tokens = TokenTests.tokens
            $0.hosts = ["symbols.example.com"]
        } use: { service in
            let local = try await address(service)
            #expect(local == "http://127.0.0.1:\(service.http)")
            let named = try await address(service, ["host": "symbols.example.com"])
            #expect(named == "http://symbols.example.com")
            let foreign = try await address(service, ["host": "pages.example"])
            #expect(foreign == "")
        }
    }

    @Test("the scheme in a proxy's header is not used")
    func scheme() async throws {
        try await RunningService.run { service in
            let forwarded = try await address(service, ["x-forwarded-proto": "https"])
            #expect(forwarded == "")
        }
    }

    @Test("the script contains the address in pages.url, without the prefix of pages")
    func pages() async throws {
        try await RunningService.run {
            $0.tokens = TokenTests.tokens
            $0.pages?.url = "https://crashes.example:8443/team/symbolist/"
        } use: { service in
            let found = try await address(service, ["host": "pages.example"])
            #expect(found == "https://crashes.example:8443")
        }
    }
}
