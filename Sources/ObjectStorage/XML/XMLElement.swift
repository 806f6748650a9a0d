/// An element of an XML document, with its content.
///
/// Responses of S3 have no mixed content and no significant attributes, so an element is its name,
/// its text and its children.
struct XMLElement: Hashable, Sendable {
    /// The name without a namespace prefix.
    let name: String
    var text = ""
    var children: [XMLElement] = []

    /// Returns the first child with a name.
    subscript(name: String) -> XMLElement? { children.first { $0.name == name } }

    /// Returns all children with a name, in order.
    func all(_ name: String) -> [XMLElement] { children.filter { $0.name == name } }
}
