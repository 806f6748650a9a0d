import TestSupport
import Testing

@testable import HTTPService

@Suite("The multipart reader", .ownThreads)
struct MultipartReaderTests {
    typealias Event = MultipartReader.Event

    static let form = """
        preamble\r
        --b0\r
        Content-Disposition: form-data; name="app"\r
        \r
        shop\r
        --b0 \t\r
        content-type: application/zip\r
        Content-Disposition: form-data; filename="a;b \\"c\\".zip"; name=file\r
        \r
        PK\r
        --b1\r
        -\r
        --b0\r
        Content-Disposition: form-data; name="empty"; filename=""\r
        \r
        \r
        --b0\r
        Content-Disposition: form-data; name="none"\r
        \r
        --b0--\r
        epilogue\r
        --b0\r
        """

    static let expected: [Event] = [
        .part(name: "app", fileName: nil), .content(Array("shop".utf8)), .endOfPart,
        .part(name: "file", fileName: "a;b \"c\".zip"), .content(Array("PK\r\n--b1\r\n-".utf8)),
        .endOfPart, .part(name: "empty", fileName: ""), .endOfPart,
        .part(name: "none", fileName: nil), .endOfPart, .endOfBody,
    ]

    /// Returns the events of pieces, with consecutive content joined.
    static func events(
        of pieces: [ArraySlice<UInt8>], boundary: String = "b0"
    ) throws -> [Event] {
        var reader = try #require(MultipartReader(boundary: boundary))
        var events: [Event] = []
        for piece in pieces {
            reader.receive(piece)
            while let event = try reader.next() {
                if case .content(let more) = event, case .content(let before)? = events.last {
                    events[events.count - 1] = .content(before + more)
                } else {
                    events.append(event)
                }
            }
        }
        return events
    }

    @Test("a form is parsed the same wherever its bytes are split in two")
    func everySplit() throws {
        let form = Array(Self.form.utf8)
        for place in 0...form.count {
            #expect(try Self.events(of: [form[..<place], form[place...]]) == Self.expected)
        }
        #expect(try Self.events(of: form.indices.map { form[$0...$0] }) == Self.expected)
    }

    @Test("a form is parsed the same in pieces of any size", arguments: UInt64(0)..<200)
    func randomSplits(seed: UInt64) throws {
        var numbers = SplitMix64(seed: seed)
        var rest = Array(Self.form.utf8)[...]
        var pieces: [ArraySlice<UInt8>] = []
        while !rest.isEmpty {
            let count = Int.random(in: 0...min(rest.count, 30), using: &numbers)
            pieces.append(rest.prefix(count))
            rest = rest.dropFirst(count)
        }
        #expect(try Self.events(of: pieces) == Self.expected)
    }

    @Test(
        "content with line breaks and partial boundaries is preserved",
        arguments: UInt64(0)..<200)
    func hostileContent(seed: UInt64) throws {
        var numbers = SplitMix64(seed: seed)
        let pieces = ["\r", "\n", "-", "--", "\r\n", "\r\n--", "\r\n--b", "b", "0", "\r\r\n--b"]
        let text = (0..<Int.random(in: 0...40, using: &numbers))
            .map { _ in pieces.randomElement(using: &numbers)! }.joined()
        let content = Array(text.replacing("\r\n--b0", with: "").utf8)
        let form =
            Array("--b0\r\nContent-Disposition: form-data; name=f\r\n\r\n".utf8) + content
            + Array("\r\n--b0--".utf8)
        let middle = Int.random(in: 0...form.count, using: &numbers)
        let events = try Self.events(of: [form[..<middle], form[middle...]])
        let expected: [Event] =
            [.part(name: "f", fileName: nil)] + (content.isEmpty ? [] : [.content(content)])
            + [.endOfPart, .endOfBody]
        #expect(events == expected)
    }

    @Test("a form truncated at any position is incomplete")
    func cutOff() throws {
        let form = Array(Self.form.utf8)
        let end = try #require(form.firstRange(of: Array("--b0--".utf8))).upperBound
        for count in 0..<end {
            var reader = try #require(MultipartReader(boundary: "b0"))
            reader.receive(form.prefix(count))
            while try reader.next() != nil {}
            #expect(!reader.isComplete, "\(count)")
        }
    }

    @Test("an invalid boundary is rejected")
    func boundaries() {
        #expect(MultipartReader(boundary: "") == nil)
        #expect(MultipartReader(boundary: String(repeating: "b", count: 71)) == nil)
        #expect(MultipartReader(boundary: String(repeating: "-", count: 70)) != nil)
    }

    @Test("boundaries that resemble delimiters work", arguments: ["-", "--", "a--", "0"])
    func oddBoundaries(boundary: String) throws {
        let form =
            "--\(boundary)\r\nContent-Disposition: form-data; name=n\r\n\r\n-\r\n--\(boundary)--"
        let events = try Self.events(of: [Array(form.utf8)[...]], boundary: boundary)
        #expect(
            events == [.part(name: "n", fileName: nil), .content([0x2d]), .endOfPart, .endOfBody])
    }

    @Test("unterminated headers and lines are rejected")
    func endless() throws {
        let long = [UInt8](repeating: 0x20, count: MultipartReader.headersLimit + 1)
        for start in ["--b0", "--b0\r\nContent-Disposition:"] {
            #expect(throws: MultipartReader.Failure.self) {
                try Self.events(of: [Array(start.utf8)[...], long[...]])
            }
        }
    }

    @Test(
        "a part without a name is rejected",
        arguments: [
            "", "Content-Type: a/b\r\n", "Content-Disposition: form-data; filename=\"n\"\r\n",
        ])
    func nameless(headers: String) {
        #expect(throws: MultipartReader.Failure.self) {
            try Self.events(of: [Array("--b0\r\n\(headers)\r\nx\r\n--b0--".utf8)[...]])
        }
    }

    @Test("single bytes cost no more than one large piece")
    func linear() throws {
        // Searching for the end again at each byte would take hours here.
        let headers = [UInt8](repeating: 0x61, count: MultipartReader.headersLimit - 8)
        for _ in 0..<3 {
            var reader = try #require(MultipartReader(boundary: "b0"))
            reader.receive("--b0\r\n".utf8)
            for byte in headers {
                reader.receive([byte])
                let event = try reader.next()
                #expect(event == nil)
            }
        }
    }

    @Test(
        "header parameters are parsed with quotes and escapes",
        arguments: [
            ("form-data; name=\"a\"", ["name": "a"]),
            ("form-data;name=a;filename=b.zip", ["name": "a", "filename": "b.zip"]),
            (
                "form-data; NAME = \"a;b\\\"c\" ; filename=\"C:\\x\\y\"",
                ["name": "a;b\"c", "filename": "C:\\x\\y"]
            ),
            (
                "multipart/form-data; boundary=\"a b\"; charset=utf-8",
                ["boundary": "a b", "charset": "utf-8"]
            ),
            ("form-data; name=\"open", ["name": "open"]), ("form-data", [:]), ("", [:]),
        ] as [(String, [String: String])])
    func parameters(text: String, expected: [String: String]) {
        let found = Dictionary(HeaderParameters(text).map { ($0.0, $0.1) }) { first, _ in first }
        #expect(found == expected)
    }
}
