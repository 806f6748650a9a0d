import JSONText
import Testing

@Suite("Positions in a JSON document")
struct JSONValueIndexTests {
    private static let names = JSONKeyList(["name", "ripe", "weight"])

    /// Returns the members with one of the names, as `POSITION=TEXT`.
    private func members(_ text: String) -> [String] {
        let document = JSONDocument(Array(text.utf8))
        guard let root = document.root else { return [] }
        var members = document.members(of: root.valueIndex)
        var found: [String] = []
        while let (name, value) = document.next(of: &members, named: Self.names) {
            found.append(
                "\(name)=\(String(decoding: document.value(at: value).rawText, as: UTF8.self))")
        }
        return found
    }

    @Test(
        "members are found by name, in the order of the text and including duplicates")
    func named() {
        #expect(
            members(#"{"weight":7,"kind":{"name":1},"name":"Elstar","ripes":1,"name":[2]}"#)
                == ["2=7", "0=Elstar", "0=[2]"])
    }

    @Test("a name with escapes equals the decoded name")
    func escaped() {
        #expect(members(#"{"n\u0061me":1,"\"name":2}"#) == ["0=1"])
    }

    @Test(
        "a value that is not an object, or ends at a key, has no further members",
        arguments: ["[1]", "\"name\"", "7", "{}", #"{"name""#, #"{"name":"#, #"{"name"#])
    func none(text: String) {
        #expect(members(text) == [])
    }

    @Test("names and strings of any length differ in any byte", arguments: 1...20)
    func differences(length: Int) throws {
        let name = String(repeating: "x", count: length)
        let others = (0..<length).map { position in
            String(name.enumerated().map { $0.offset == position ? "y" : $0.element })
        }
        let names = JSONKeyList(others + [name])
        let strings = [name] + others + [name, name + "x"]
        let list = strings.map { "\"\($0)\"" }.joined(separator: ",")
        let text = "{\"\(name)\":[\(list)]}"
        let document = JSONDocument(Array(text.utf8))
        let root = try #require(document.root)
        var members = document.members(of: root.valueIndex)
        #expect(document.next(of: &members, named: names)?.name == length)
        let indices = try #require(root[name]).elements.map(\.valueIndex)
        let first = try #require(indices.first)
        #expect(
            indices.map { document.isWrittenAlike(first, $0) } == strings.map { $0 == name })
    }

    @Test("an array has elements, and other values have none")
    func elements() throws {
        let document = JSONDocument(Array(#"{"a":[1,[2,3],"x"],"b":{"c":1}}"#.utf8))
        let root = try #require(document.root)
        var elements = document.elements(of: try #require(root["a"]).valueIndex)
        var kinds: [JSONValue.Kind] = []
        while let element = document.next(of: &elements) {
            kinds.append(document.kind(at: element))
        }
        #expect(kinds == [.number, .array, .string])
        elements = document.elements(of: try #require(root["b"]).valueIndex)
        #expect(document.next(of: &elements) == nil)
    }

    @Test("strings are compared by their decoded content, or by their bytes")
    func strings() throws {
        let document = JSONDocument(Array(#"["Apfel","Apf\u0065l","Apfel","Birne",7]"#.utf8))
        let root = try #require(document.root)
        let indices = root.elements.map(\.valueIndex)
        #expect(
            indices.map { document.isString(at: $0, "Apfel") } == [true, true, true, false, false])
        #expect(
            indices.map { document.isWrittenAlike(indices[0], $0) }
                == [true, false, true, false, false])
    }
}
