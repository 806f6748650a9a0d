import CallStacks
import TestSupport
import Testing

@testable import HTTPService

@Suite("Signing in", .ownThreads)
struct SignInTests {
    private static func run(
        _ use: @escaping @Sendable (RunningService) async throws -> Void
    ) async throws {
        try await RunningService.run {
            $0.tokens = OwnedApps.tokens
        } use: {
            try await use($0)
        }
    }

    /// Signs in, and returns the cookie as a browser sends it back.
    private static func cookie(_ token: String, _ service: RunningService) async throws -> String {
        let answer = try await service.open("/sign-in", method: "POST", body: "token=\(token)")
        #expect(answer.status == 303)
        let header = try #require(answer.header("set-cookie"))
        #expect(header.contains("; HttpOnly; SameSite=Lax"))
        #expect(!header.contains(token))
        return String(header.prefix { $0 != ";" })
    }

    @Test("a visitor is sent to the sign-in page, and from there to the page")
    func flow() async throws {
        try await Self.run { service in
            let first = try await service.open("/missing?app=a")
            #expect(first.status == 303)
            #expect(first.header("location") == "/sign-in?return=%2Fmissing%3Fapp%3Da")
            let form = try await service.open("/sign-in?return=%2Fmissing%3Fapp%3Da")
            #expect(form.text.contains("name=\"return\" value=\"/missing?app=a\""))
            let wrong = try await service.open("/sign-in", method: "POST", body: "token=no")
            #expect(wrong.status == 401)
            #expect(wrong.text.contains("unknown"))
            #expect(wrong.header("set-cookie") == nil)
            let right = try await service.open(
                "/sign-in", method: "POST", body: "token=read&return=%2Fmissing%3Fapp%3Da")
            #expect(right.header("location") == "/missing?app=a")
            let cookie = ["cookie": try await Self.cookie("read", service)]
            let page = try await service.open("/missing", cookie)
            #expect(page.status == 200)
            #expect(page.text.contains("Sign out"))
            for path in ["/d/none", "/nowhere", "/missing?before=x", "/health", "/keys"] {
                let other = try await service.open(path, cookie)
                #expect(other.text.contains("Sign out"), "\(path)")
            }
            #expect(!(try await service.open("/nowhere").text.contains("Sign out")))
            #expect(try await service.get("/v1/symbols", cookie).status == 200)
            let out = try await service.open(
                "/sign-out", cookie.merging(["sec-fetch-site": "same-origin"]) { $1 },
                method: "POST", body: "")
            #expect(out.header("set-cookie")?.contains("=; Path=/; Max-Age=0") == true)
            #expect(out.header("clear-site-data") == "\"cache\"")
        }
    }

    @Test(
        "the page after a sign-in is always one of this site",
        arguments: [
            "https://pages.example/", "//pages.example", "/\\pages.example", "/a%0d%0ab: c", "x",
        ])
    func returns(path: String) async throws {
        try await Self.run { service in
            let encoded = path.replacing("%", with: "%25").replacing("/", with: "%2F")
            let answer = try await service.open(
                "/sign-in", method: "POST", body: "token=read&return=\(encoded)")
            #expect(answer.status == 303)
            let location = answer.header("location") ?? ""
            #expect(location == "/" || location == "/a%0d%0ab: c".replacing(" ", with: ""))
        }
    }

    @Test("a form that is sent without a sign-in shows the sign-in page, which leads back to it")
    func form() async throws {
        try await Self.run { service in
            let host = "127.0.0.1:\(service.http)"
            for (referer, back) in [
                ("http://\(host)/builds/a/1/2/delete?x=1", "/builds/a/1/2/delete?x=1"),
                ("http://pages.example/drop", "/"), ("http://\(host)//pages.example", "/"),
                ("http://\(host)", "/"), ("", "/"),
            ] {
                let answer = try await service.open(
                    "/health/resend", ["referer": referer], method: "POST",
                    body: "exporter=a&reason=b")
                #expect(answer.status == 401, "\(referer)")
                let field = "name=\"return\" value=\"\(back)\""
                #expect(answer.text.contains(field), "\(referer): \(answer.text)")
                #expect(answer.text.contains("the form was not processed"))
                #expect(!answer.text.contains("Bearer"))
            }
            let script = try await service.open(
                "/drop/ask", ["accept": "application/json"], method: "POST", body: "{}")
            try expectError(script, 401, "token_missing")
        }
    }

    @Test("a forged, an expired or a foreign cookie is not a sign-in")
    func forged() async throws {
        try await Self.run { service in
            let cookie = try await Self.cookie("read", service)
            let name = cookie.prefix { $0 != "=" }
            let parts = cookie.dropFirst(name.count + 1).split(separator: ".")
            try #require(parts.count > 3)
            let past = SignInSessions(PageSettings(), isSecure: false).cookie(
                for: String(parts[1]), now: UnixTime(rawValue: 0))
            for value in [
                "", "v1", "v1...", "v2.\(parts[1]).\(parts[2]).\(parts[3])",
                "v1.\(parts[1]).\(parts[2])0.\(parts[3])", "v1.00.\(parts[2]).\(parts[3])",
                "v1.\(parts[1]).\(parts[2]).\(parts[3].dropLast(2))00x", past,
            ] {
                let answer = try await service.open("/missing", ["cookie": "\(name)=\(value)"])
                #expect(answer.status == 303, "\(value)")
            }
            #expect(try await service.open("/missing", ["cookie": cookie]).status == 200)
        }
    }

    @Test("a removed token ends its sign-ins at once")
    func removed() async throws {
        let tokens = Tokens([.init(token: "read", scopes: [.read], app: nil)])
        try await RunningService.run {
            $0.tokens = tokens
        } use: { service in
            let cookie = ["cookie": try await Self.cookie("read", service)]
            #expect(try await service.open("/missing", cookie).status == 200)
            tokens.replace(with: Tokens([.init(token: "other", scopes: [.read], app: nil)]))
            #expect(try await service.open("/missing", cookie).status == 303)
        }
    }

    @Test("a sign-in grants no more than its token")
    func scopes() async throws {
        try await Self.run { service in
            let cookie = ["cookie": try await Self.cookie("ingest", service)]
            let answer = try await service.open("/missing", cookie)
            #expect(answer.status == 403)
            #expect(answer.text.contains("does not have scope"))
            let bound = ["cookie": try await Self.cookie("read@\(OwnedApps.mine)", service)]
            #expect(try await service.open("/missing?app=\(OwnedApps.other)", bound).status == 403)
        }
    }

    @Test("commands have a placeholder for the token, and for a host that is not the service's")
    func commands() async throws {
        try await Self.run { service in
            var headers = OwnedApps.token(.read, of: nil)
            let page = try await service.open("/", headers)
            let curl = "curl -H &#39;Authorization: Bearer TOKEN&#39; --data-binary"
            let server = "http://127.0.0.1:\(service.http)"
            #expect(page.text.contains("\(curl) @payload.json \(server)/v1/metrickit"))
            let builds = try await service.open("/builds", headers)
            let upload = "SYMBOLIST_TOKEN=TOKEN symbolist upload PATH --server"
            #expect(builds.text.contains("\(upload) \(server) --app APP"))
            headers["host"] = "pages.example"
            let foreign = try await service.open("/builds", headers)
            #expect(foreign.text.contains("\(upload) http://HOST --app APP"))
            #expect(!foreign.text.contains("pages.example"))
        }
    }

    @Test("a token for one app sees the health of the service without what concerns other apps")
    func boundHealth() async throws {
        try await Self.run { service in
            let bound = OwnedApps.token(.read, of: OwnedApps.mine)
            let page = try await service.open("/health?sent=1&of=1", bound)
            #expect(page.status == 200)
            #expect(page.text.contains("Telemetry is accepted"))
            #expect(page.text.contains("Last 24 hours"))
            for words in ["Dead letters", "Exporters", "Queue", "Sent 1"] {
                #expect(!page.text.contains(words), "\(words)")
            }
        }
    }

    @Test("the build of dropped symbols can be named only with the scope upload")
    func drop() async throws {
        try await Self.run { service in
            let reader = try await service.open("/drop", OwnedApps.token(.read, of: nil))
            #expect(!reader.text.contains("name=\"build\""))
            #expect(reader.text.contains("need a token with the scope “upload”"))
            let uploader = try await service.open("/drop", OwnedApps.token(.upload, of: nil))
            #expect(uploader.text.contains("name=\"build\""))
        }
    }

    @Test("a change by cookie needs proof that a page of the service sent it")
    func crossSite() async throws {
        try await Self.run { service in
            let cookie = ["cookie": try await Self.cookie("upload", service)]
            for (headers, status) in [
                ([:], 403), (["sec-fetch-site": "cross-site"], 403),
                (["sec-fetch-site": "same-site"], 403), (["origin": "https://pages.example"], 403),
                (["sec-fetch-site": "same-origin"], 201),
                (["origin": "http://127.0.0.1:\(service.http)"], 201),
            ] as [([String: String], Int)] {
                let answer = try await service.post(
                    "/v1/symbols", library(1), cookie.merging(headers) { $1 })
                #expect(answer.status == status, "\(headers)")
            }
            let token = OwnedApps.token(.upload, of: nil)
            #expect(try await service.post("/v1/symbols", library(1), token).status == 201)
            let foreign = try await service.open(
                "/sign-in", ["sec-fetch-site": "cross-site"], method: "POST", body: "token=read")
            #expect(foreign.status == 403)
        }
    }

    @Test("more than ten wrong tokens a minute from an address are refused")
    func limit() async throws {
        try await Self.run { service in
            for _ in 0..<SignInLimiter.attemptLimit {
                #expect(
                    try await service.open("/sign-in", method: "POST", body: "token=no").status
                        == 401)
            }
            let answer = try await service.open("/sign-in", method: "POST", body: "token=read")
            #expect(answer.status == 429)
            #expect(answer.header("retry-after") == "60")
        }
        let limiter = SignInLimiter()
        let start = ContinuousClock.now
        for _ in 0..<SignInLimiter.attemptLimit { limiter.fail("a", at: start) }
        #expect(!limiter.admits("a", at: start))
        #expect(limiter.admits("b", at: start))
        #expect(limiter.admits("a", at: start + SignInLimiter.window))
    }

    @Test("a cookie is renewed in the second half of its life, and secure behind TLS")
    func cookies() throws {
        let sessions = SignInSessions(PageSettings(), isSecure: true)
        let start = UnixTime(rawValue: 1_800_000_000_000)
        let session = try #require(
            sessions.session(in: sessions.cookie(for: "ab", now: start), now: start))
        #expect(session.grant == "ab")
        #expect(!sessions.isDue(session, now: start.advanced(seconds: 5 * 3_600)))
        #expect(sessions.isDue(session, now: start.advanced(seconds: 7 * 3_600)))
        let late = start.advanced(seconds: 13 * 3_600)
        #expect(sessions.session(in: sessions.cookie(for: "ab", now: start), now: late) == nil)
        let other = SignInSessions(PageSettings(), isSecure: true)
        #expect(other.session(in: sessions.cookie(for: "ab", now: start), now: start) == nil)
    }
}
