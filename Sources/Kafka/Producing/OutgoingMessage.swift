/// A message to be produced.
public struct OutgoingMessage: Sendable {
    public struct Header: Hashable, Sendable {
        public var name: String
        public var value: String

        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    public var topic: String
    public var value: [UInt8]
    public var header: Header?

    public init(topic: String, value: [UInt8], header: Header? = nil) {
        self.topic = topic
        self.value = value
        self.header = header
    }
}
