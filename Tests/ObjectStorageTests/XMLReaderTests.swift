import TestSupport
import Testing

@testable import ObjectStorage

@Suite("XML of a server")
struct XMLReaderTests {
    static let list = """
        <?xml version="1.0" encoding="UTF-8"?>
        <!-- a page -->
        <s3:ListBucketResult xmlns:s3="http://s3.amazonaws.com/doc/2006-03-01/" a='>'>
          <IsTruncated>false</IsTruncated>
          <Contents><Key>a&amp;b&lt;&#x41;&#66;</Key><Size>1</Size></Contents>
          <Contents ><Key><![CDATA[<c>]]></Key><Size>2</Size><Owner/></Contents >
        </s3:ListBucketResult>

        """

    private func read(_ text: String) throws(XMLError) -> XMLElement {
        try XMLReader.document(Array(text.utf8))
    }

    @Test("elements, entities, comments and sections are read")
    func elements() throws {
        let root = try read(Self.list)
        #expect(root.name == "ListBucketResult")
        #expect(root["IsTruncated"]?.text == "false")
        #expect(root.all("Contents").map { $0["Key"]?.text } == ["a&b<AB", "<c>"])
        #expect(root["Contents"]?["Owner"] == nil)
    }

    @Test(
        "a document that is malformed is refused",
        arguments: [
            "", " ", "x", "<a>", "<a></b>", "<a/><b/>", "<a/>x", "x<a/>", "</a>", "<a", "<a b='",
            "<>",
            "<a>&unknown;</a>", "<a>&#xD800;</a>", "<a>&#+65;</a>", "<a>&#99999999;</a>",
            "<a>&amp</a>",
            "<a>&;</a>", "<a>&#;</a>", "<a><![CDATA[</a>", "<!-- ", "<?xml", "<a/ >", "<a b<c></a>",
        ])
    func malformed(text: String) {
        #expect(throws: XMLError.self) { try read(text) }
    }

    @Test(
        "a document type is refused, so no entity expands or is fetched",
        arguments: [
            "<!DOCTYPE a [<!ENTITY b SYSTEM 'file:///etc/passwd'>]><a>&b;</a>",
            "<!DOCTYPE lolz [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;&a;'>]><lolz>&b;</lolz>",
            "<a><!ENTITY b 'c'></a>",
        ])
    func documentType(text: String) {
        let error = #expect(throws: XMLError.self) { try read(text) }
        #expect(error?.detail == "document type")
    }

    @Test("text that is not UTF-8 is refused")
    func encoding() {
        let bytes = Array("<a>".utf8) + [0xff, 0xc0] + Array("</a>".utf8)
        #expect(throws: XMLError.self) { try XMLReader.document(bytes) }
    }

    @Test("elements nest up to a limit")
    func depth() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth)
        }
        #expect(try read(nested(XMLReader.depthLimit)).name == "a")
        #expect(throws: XMLError.self) { try read(nested(XMLReader.depthLimit + 1)) }
    }

    @Test("elements are counted up to a limit")
    func count() throws {
        func wide(_ count: Int) -> String {
            "<a>\(String(repeating: "<b/>", count: count - 1))</a>"
        }
        #expect(try read(wide(XMLReader.elementsLimit)).children.count > 1)
        #expect(throws: XMLError.self) { try read(wide(XMLReader.elementsLimit + 1)) }
    }

    @Test("any part of a document before its end is refused")
    func prefixes() {
        let bytes = Array(Self.list.utf8)
        for count in 0..<bytes.count - 2 {
            #expect(throws: XMLError.self) { try XMLReader.document(Array(bytes.prefix(count))) }
        }
    }

    @Test("a damaged document is read or refused", arguments: UInt64(0)..<50)
    func damage(seed: UInt64) {
        var numbers = SplitMix64(seed: seed)
        for _ in 0..<200 {
            var bytes = Array(Self.list.utf8)
            for _ in 0..<Int.random(in: 1...8, using: &numbers) {
                let place = bytes.indices.randomElement(using: &numbers) ?? 0
                bytes[place] = Array("<>/&;!-?'\"[]a\0".utf8).randomElement(using: &numbers) ?? 0xff
            }
            _ = try? XMLReader.document(bytes)
        }
    }

    @Test("what is escaped is read back", arguments: ["a&b", "<x>\"'", "é\u{1f600}", "]]>"])
    func escapes(text: String) throws {
        #expect(try read("<a>\(text.xmlEscaped)</a>").text == text)
    }
}
