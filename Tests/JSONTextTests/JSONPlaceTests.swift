import JSONText
import Testing

@Suite("Places in a JSON document")
struct JSONPlaceTests {
    private static let names = JSONNames(["name", "ripe", "weight"])

    /// The members that have one of the names, as `POSITION=TEXT`.
    private func members(_ text: String) -> [String] {
        let document = JSONDocument(Array(text.utf8))
        guard let root = document.root else { return [] }
        var members = document.members(of: root.place)
        var found: [String] = []
        while let (name, value) = document.next(of: &members, named: Self.names) {
            found.append(
                "\(name)=\(String(decoding: document.value(at: value).rawText, as: UTF8.self))")
        }
        return found
    }

    @Test(
        "members are found by their names, in the order of the text and as often as they are there")
    func named() {
        #expect(
            members(#"{"weight":7,"kind":{"name":1},"name":"Elstar","ripes":1,"name":[2]}"#)
                == ["2=7", "0=Elstar", "0=[2]"])
    }

    @Test("a name with escapes is the same name")
    func escaped() {
        #expect(members(#"{"n\u0061me":1,"\"name":2}"#) == ["0=1"])
    }

    @Test(
        "what is no object or breaks off at a key has no more members",
        arguments: ["[1]", "\"name\"", "7", "{}", #"{"name""#, #"{"name":"#, #"{"name"#])
    func none(text: String) {
        #expect(members(text) == [])
    }

    @Test("elements are those of an array, and none of anything else")
    func elements() throws {
        let document = JSONDocument(Array(#"{"a":[1,[2,3],"x"],"b":{"c":1}}"#.utf8))
        let root = try #require(document.root)
        var elements = document.elements(of: try #require(root["a"]).place)
        var kinds: [JSONValue.Kind] = []
        while let element = document.next(of: &elements) {
            kinds.append(document.kind(at: element))
        }
        #expect(kinds == [.number, .array, .string])
        elements = document.elements(of: try #require(root["b"]).place)
        #expect(document.next(of: &elements) == nil)
    }

    @Test("strings are compared by what they mean, or by how they are written")
    func strings() throws {
        let document = JSONDocument(Array(#"["Apfel","Apf\u0065l","Apfel","Birne",7]"#.utf8))
        let root = try #require(document.root)
        let places = root.elements.map(\.place)
        #expect(
            places.map { document.isString(at: $0, "Apfel") } == [true, true, true, false, false])
        #expect(
            places.map { document.isWrittenAlike(places[0], $0) }
                == [true, false, true, false, false])
    }
}
