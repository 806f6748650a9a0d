import JSONText

extension JSONWriter {
    mutating func member(_ name: StaticString, _ texts: [String]) {
        array(name, texts) { writer, text in writer.string(text) }
    }
}

extension JSONValue {
    /// Returns the strings of a member, or `nil` if it is not an array of strings only.
    func texts(_ name: String) -> [String]? {
        guard let list = self[name], list.kind == .array else { return nil }
        var texts: [String] = []
        for element in list.elements {
            guard let text = element.string else { return nil }
            texts.append(text)
        }
        return texts
    }
}
