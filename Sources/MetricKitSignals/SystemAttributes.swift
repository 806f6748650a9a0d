/// The attributes of a system in MetricKit's notation: `iPhone OS 18.1 (22B83)`.
struct SystemAttributes {
    let attributes: [(key: String, value: String)]

    /// Returns `nil` if the text is empty. A text in another form becomes only a description.
    init?(_ text: String) {
        guard !text.isEmpty else { return nil }
        var attributes = [("os.type", "darwin"), ("os.description", text)]
        let words = text.split(separator: " ")
        if let index = words.firstIndex(where: { $0.first?.isNumber == true }), index > 0 {
            let name = words[..<index].joined(separator: " ")
            // The system's name until 2010, which MetricKit kept.
            attributes.append(("os.name", name == "iPhone OS" ? "iOS" : name))
            attributes.append(("os.version", String(words[index])))
            if let build = words[(index + 1)...].first, build.hasPrefix("("), build.hasSuffix(")") {
                attributes.append(("os.build_id", String(build.dropFirst().dropLast())))
            }
        }
        self.attributes = attributes.map { (key: $0.0, value: $0.1) }
    }
}
