import CallStacks
import Testing

@testable import Pages

@Suite("The page of the service's health")
struct HealthPageTests {
    private let now = UnixTime(rawValue: 10_000_000)

    private func text(_ exporters: [OperationState.Exporter]) -> String {
        var page = HealthPage(now: now)
        page.state = OperationState(
            queue: .init(count: 3, bytes: 12_000, oldest: UnixTime(rawValue: 9_700_000)),
            queueLimit: 1 << 30,
            worker: .init(count: 1, bytes: 4_000, oldest: UnixTime(rawValue: 9_998_000)),
            exporters: exporters,
            store: .init(
                databaseBytes: 410_000_000, symbolBytes: 610_000_000, indexBytes: 180_000_000,
                freeBytes: nil, keptSeconds: 30 * 86_400))
        return String(decoding: page.page(in: PagesTests.context), as: UTF8.self)
    }

    @Test("exporters are shown with state, waiting requests, last error and last success")
    func exporters() {
        var retrying = OperationState.Exporter(
            name: "honeycomb", state: .retrying(attempts: 6),
            waiting: .init(count: 211, bytes: 4_000_000), deadLetters: 42)
        retrying.lastError = "503 <busy>"
        retrying.lastErrorTime = UnixTime(rawValue: 9_400_000)
        let old = OperationState.Exporter(
            name: "old", state: .notConfigured, waiting: .init(count: 1, bytes: 1), deadLetters: 0)
        let text = text([retrying, old])
        for words in [
            "3 requests, 12 kB, oldest 5 min ago", "retrying, attempt 7", "503 &lt;busy&gt;",
            "211 requests, 4.0 MB", "10 min ago", ">42<", "not configured", "none since start",
            "at most 1.1 GB", "width=\"0.001%\"", "4.0 kB to process, 2 s behind",
            "database 410 MB, symbols 610 MB, indexes 180 MB; diagnostics kept 30 d",
            "No diagnostic arrived.",
        ] {
            #expect(text.contains(words), "\(words)")
        }
        #expect(self.text([]).contains("No exporter is configured"))
    }

    @Test("an open page follows the service without being reloaded")
    func live() {
        #expect(text([]).contains("<h1 data-live>Health</h1>"))
        #expect(!text([]).contains("data-state"))
    }

    @Test("a resend is answered with the number of letters that were sent, and with the reason")
    func result() {
        #expect(ResendResult(sent: 3, of: 3)?.text == "Sent 3 of 3 letters.")
        #expect(ResendResult(sent: 0, of: 1)?.text == "Sent 0 of 1 letter. The others failed.")
        #expect(
            ResendResult(sent: 1, of: 3, failure: "503")?.text
                == "Sent 1 of 3 letters. The others failed: 503")
        #expect(ResendResult(sent: 2, of: 1) == nil)
        #expect(ResendResult(sent: 0, of: -1) == nil)
    }
}
