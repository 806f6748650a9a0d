import CallStacks
import ContractServer
import TestSupport
import Testing

@testable import ServiceClient

@Suite("Proxies of the environment", .ownThreads)
struct ProxyTests {
    private func proxy(_ url: String, _ environment: [String: String]) -> ProxyAddress? {
        ProxyAddress(for: url, environment: environment)
    }

    @Test("the server's scheme decides the variable, and lower case has priority")
    func variables() {
        let environment = [
            "HTTPS_PROXY": "http://secure.example:3128", "http_proxy": "plain.example:8080",
            "HTTP_PROXY": "http://other.example",
        ]
        let secure = proxy("https://symbols.example.com", environment)
        #expect(secure?.host == "secure.example")
        #expect(secure?.port == 3128)
        let plain = proxy("http://symbols.example.com:4318", environment)
        #expect(plain?.host == "plain.example")
        #expect(plain?.port == 8080)
        #expect(proxy("https://x.example", ["all_proxy": "http://all.example"])?.port == 80)
    }

    @Test("a server is reached through the proxy only, unless it is exempt")
    func request() async throws {
        let server = ContractServer()
        try await server.serve { url in
            // No proxy listens on this port.
            let proxy = ["http_proxy": "http://127.0.0.1:1"]
            let refused = try? await missing(url, proxy)
            #expect(refused == nil)
            #expect(server.allRequests.isEmpty)
            let exempt = proxy.merging(["NO_PROXY": "127.0.0.1"]) { $1 }
            let answer = try await missing(url, exempt)
            #expect(answer == [identity(1)])
        }
    }

    /// Requests an image from a server, and closes the connection.
    private func missing(_ url: String, _ environment: [String: String]) async throws
        -> Set<ImageID>
    {
        let connection = ServerConnection(
            try ServerAddress(url: url, token: nil), retry: Delays().policy, timeoutSeconds: 600,
            environment: environment)
        do {
            let answer = try await connection.missing(
                among: [identity(1)], of: Build(app: "a", version: "1", build: "1"),
                isRecorded: false)
            await connection.close()
            return answer
        } catch {
            await connection.close()
            throw error
        }
    }

    @Test("the proxy's credentials are read from its URL")
    func login() {
        let proxy = proxy("http://x.example", ["HTTP_PROXY": "http://ann:p%40ss@proxy.example"])
        #expect(proxy?.user == "ann")
        #expect(proxy?.password == "p@ss")
    }

    @Test(
        "hosts in NO_PROXY are reached directly",
        arguments: ["localhost", "example.com", ".example.com", "*", "a, example.com b"])
    func exempt(list: String) {
        let environment = ["http_proxy": "http://proxy.example", "NO_PROXY": list]
        let url = list == "localhost" ? "http://localhost:4318" : "http://symbols.example.com"
        #expect(proxy(url, environment) == nil)
        #expect(proxy("http://notexample.com", environment) == nil || list != "*")
    }

    @Test(
        "a missing proxy, and one that is not HTTP, is ignored",
        arguments: ["", "socks5://proxy.example", "http://", "https://proxy.example"])
    func none(value: String) {
        #expect(proxy("http://x.example", ["http_proxy": value]) == nil)
        #expect(proxy("http://x.example", [:]) == nil)
    }
}
