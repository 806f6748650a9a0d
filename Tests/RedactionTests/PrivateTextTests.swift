import CallStacks
import Testing

@testable import Redaction

@Suite("Private values in text")
struct PrivateTextTests {
    @Test(
        "user names and containers in paths are redacted, and nothing else of a path",
        arguments: [
            ("/Users/jane/Orchard/Cart.swift:8", "/Users/USER/Orchard/Cart.swift:8"),
            ("at /home/jane/press/main.swift:8:23", "at /home/USER/press/main.swift:8:23"),
            ("/Users/Jane Doe/Orchard", "/Users/USER/Orchard"),
            ("cannot copy /Users/jane to /home/jane.", "cannot copy /Users/USER to /home/USER."),
            ("'/Users/jane.doe'", "'/Users/USER'"),
            ("/Users/Shared/Orchard /Users/USER/a", "/Users/Shared/Orchard /Users/USER/a"),
            ("/home/main.swift:3", "/home/main.swift:3"),
            ("/Users/", "/Users/"),
            (#"C:\Users\Jane Doe\cellar.pdb"#, #"C:\Users\USER\cellar.pdb"#),
            (#""C:\\Users\\jane""#, #""C:\\Users\\USER""#),
            (#"C:\Users\Public\a"#, #"C:\Users\Public\a"#),
            ("file:///Users/jane%20doe/a%2Fb", "file:///Users/USER/a%2Fb"),
            ("%2FUsers%2fjane%2Fa /Users%2Fjane/b", "%2FUsers%2fUSER%2Fa /Users%2FUSER/b"),
            ("a=%252FUsers%252Fjane%252Fa", "a=%252FUsers%252FUSER%252Fa"),
            (
                "?a=%2FUsers%2Fjane%20doe%2FCart.swift&b=%2fhome%2fjane",
                "?a=%2FUsers%2FUSER%2FCart.swift&b=%2fhome%2fUSER"
            ),
            ("C%3A%5CUsers%5Cjane+doe%5Ca", "C%3A%5CUsers%5CUSER%5Ca"),
            ("%22%2Fhome%2Fjane%22%2C 5%2 %2Fhome%2F", "%22%2Fhome%2FUSER%22%2C 5%2 %2Fhome%2F"),
            (
                "%2FUsers%2FShared%2Fa %2Fhome%2Fmain.swift%3A3",
                "%2FUsers%2FShared%2Fa %2Fhome%2Fmain.swift%3A3"
            ),
            (
                "%2FApplication%2F6F1B8A52-4B0E-4C57-9E4C-0B1F6C1B7D20%2Ftmp",
                "%2FApplication%2F00000000-0000-0000-0000-000000000000%2Ftmp"
            ),
            (
                "/private/var/mobile/Containers/Data/6F1B8A52-4B0E-4C57-9E4C-0B1F6C1B7D20/tmp",
                "/private/var/mobile/Containers/Data/00000000-0000-0000-0000-000000000000/tmp"
            ),
            (
                "<6F1B8A52-4B0E-4C57-9E4C-0B1F6C1B7D20> 6F1B8A52-4B0E-4C57-9E4C-0B1F6C1B7D20",
                "<6F1B8A52-4B0E-4C57-9E4C-0B1F6C1B7D20> 6F1B8A52-4B0E-4C57-9E4C-0B1F6C1B7D20"
            ),
        ])
    func paths(before: String, after: String) {
        #expect(PrivateText.redacted(before) == after)
        #expect(PrivateText.redacted(after) == after)
    }

    @Test(
        "email addresses are redacted, and symbol versions are not",
        arguments: [
            ("to jane.doe+x@mail.example.com.", "to redacted."),
            ("<jänne@example.com>", "<redacted>"),
            ("/CloudStorage/Drive-jane@example.com/a", "/CloudStorage/redacted/a"),
            (
                "clock_nanosleep@@GLIBC_2.17 @objc a@b @x.yz",
                "clock_nanosleep@@GLIBC_2.17 @objc a@b @x.yz"
            ),
            ("@rpath/Orchard.framework x@1.2.3", "@rpath/Orchard.framework x@1.2.3"),
            ("“jane@bücher.example”", "“redacted”"), ("jane@пример.рф", "redacted"),
            ("jane@xn--e1afmkfd.xn--p1ai", "redacted"),
            ("/a?to=jane%40example.com&b=50%4", "/a?to=redacted&b=50%4"),
        ])
    func mail(before: String, after: String) {
        #expect(PrivateText.redacted(before) == after)
        #expect(PrivateText.redacted(after) == after)
    }

    @Test(
        "credentials are redacted after the words that precede them",
        arguments: [
            ("Authorization: Basic amFuZTpkb2U=", "Authorization: redacted"),
            ("with Bearer 8f2e.11-a7, again", "with Bearer redacted, again"),
            ("the bearer of news", "the bearer of news"),
            ("GET /a?api_key=8f2e&page=2", "GET /a?api_key=redacted&page=2"),
            (#"{"password": "open sesame"}"#, #"{"password": "redacted"}"#),
            ("unexpected token: }", "unexpected token: }"),
            ("no key: name", "no key: name"),
            ("a == b, key=", "a == b, key="), ("password: dog", "password: redacted"),
            ("run --auth-token 8f2e --token-file a", "run --auth-token redacted --token-file a"),
            (#"{\"apiKey\":\"8f2e11a7\"}"#, #"{\"apiKey\":\"redacted\"}"#),
            ("amqp://app:8f2e@queue/a", "amqp://redacted@queue/a"),
            (#"{"password": "ab\"cd", "n": 1}"#, #"{"password": "redacted", "n": 1}"#),
            ("in Password::set (this=0x7ffe)", "in Password::set (this=0x7ffe)"),
            ("https://example.com/@jane", "https://example.com/@jane"),
            ("of eyJhbGciOi.eyJzdWIiOi.8f-2_e, again", "of redacted, again"),
            ("eyJhbGciOi.a.b eyJhbGciOi.eyJzdWIiOi", "eyJhbGciOi.a.b eyJhbGciOi.eyJzdWIiOi"),
        ])
    func tokens(before: String, after: String) {
        #expect(PrivateText.redacted(before) == after)
        #expect(PrivateText.redacted(after) == after)
    }

    @Test("long numbers in messages are redacted, and addresses, hashes and dates are not")
    func numbers() {
        let before =
            "call 491701234567 0x0000000104a303e0 1a2b3c4d5e6f78901234 20261120 id123456789"
        #expect(PrivateText.redacted(before) == before)
        #expect(
            PrivateText.redacted(before, isMessage: true)
                == "call redacted 0x0000000104a303e0 1a2b3c4d5e6f78901234 20261120 idredacted")
    }

    @Test(
        "attributes are redacted by their names and by what their values contain",
        arguments: [
            ("user.email", "j", "redacted"), ("device.name", "Jane's iPhone", "redacted"),
            ("note", "to jane@example.com", "to redacted"),
            ("note", "491701234567", "491701234567"),
            ("message", "call 491701234567", "call redacted"),
            ("screen", "/Users/jane/a", "/Users/USER/a"),
            ("code.function.name", "a@b.cc", "a@b.cc"),
            (
                "list", #"["/home/jane/a",{"user.id":"7","n":7}]"#,
                #"["/home/USER/a",{"user.id":"redacted","n":7}]"#
            ),
            ("http.request.header.cookie", #"["a"]"#, "redacted"), ("x-api-key", "7", "redacted"),
            ("max_tokens", "7", "7"), ("session.id", "7", "7"),
            (
                "list", #"[["Cookie","a"],["symbol","/home/jane"],{"name":"token","value":"a"}]"#,
                #"[["Cookie","redacted"],["symbol","/home/USER"],{"name":"token","value":"redacted"}]"#
            ),
            ("text", #"{"a":1} --token 7"#, #"{"a":1} --token redacted"#),
            ("host.name", "janes-mac", "janes-mac"), ("a\"\u{301}\0", "\u{301}\"\0", "\u{301}\"\0"),
        ])
    func attributes(key: String, value: String, redacted: String) {
        let result = RedactionLevel.standard.redacted(attribute: key, value: value)
        #expect([result.key, result.value] == [key, redacted])
        let all = RedactionLevel.none.redacted(attribute: key, value: value)
        #expect([all.key, all.value] == [key, value])
    }

    @Test("strict redaction of attributes removes messages and hosts, and names are redacted too")
    func strictAttributes() {
        let strict = RedactionLevel.strict
        for (key, value) in [("exception.message", "no apples"), ("host.name", "janes-mac")] {
            #expect(strict.redacted(attribute: key, value: value).value == "redacted", "\(key)")
        }
        let seen = strict.redacted(attribute: "seen jane@example.com", value: "yes")
        #expect([seen.key, seen.value] == ["seen redacted", "yes"])
    }

    @Test("an address after many characters of other scripts keeps them whole")
    func longName() {
        let text = String(repeating: "桜", count: 100) + "jane@example.com"
        #expect(PrivateText.redacted(text).unicodeScalars.allSatisfy { $0 != "\u{fffd}" })
    }

    @Test(
        "only the runtime's text around a message remains at the strict level",
        arguments: [
            (
                "thread 'main' panicked at 'boom', /home/jane/main.rs:4:5",
                "thread 'main' panicked at 'redacted', /home/USER/main.rs:4:5"
            ),
            ("panic: order of Jane", "panic: redacted"),
            ("order of Jane: panic: index", "redacted"), ("Jane ] Check failed: a", "redacted"),
            ("panic: runtime error: nil map", "redacted"),
        ])
    func strictMessages(before: String, after: String) {
        let result = RedactionLevel.strict.redacted(attribute: "message", value: before)
        #expect(result.value == after)
    }

    @Test("an object of many equal members is redacted in one pass")
    func hostileObject() {
        let members = repeatElement(#""value":1"#, count: 50_000).joined(separator: ",")
        let result = RedactionLevel.standard.redacted(attribute: "a", value: "{\(members)}")
        #expect(result.value == "{\(members)}")
    }

    @Test("overlapping values are redacted as one")
    func overlapping() {
        #expect(
            PrivateText.redacted("key=/Users/jane/jane@example.com secret=a@b.example")
                == "key=redacted secret=redacted")
    }

    @Test(
        "text made of delimiters is searched in one pass",
        arguments: [
            "@", "/Users/", "=", "key=", "bearer ", "/Users/a ", "a@", "\"", "1", "://", "://@",
            "%40", "a%40", "eyJ.", "\\Users\\", "password:\\", "--token ",
        ])
    func hostile(mark: String) {
        let text = String(repeating: mark, count: 200_000 / mark.utf8.count)
        let once = PrivateText.redacted(text, isMessage: true)
        #expect(PrivateText.redacted(once, isMessage: true) == once)
    }
}
