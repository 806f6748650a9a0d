import Crypto
import JSONText

/// A 16-byte digest of a JSON value's content, independent of white space and the order of members.
///
/// MetricKit writes the same payload in a different order each time. The digests of a container's
/// values are added, each mixed with its key, so no sorting is needed. The computation is not
/// recursive.
struct ContentDigest {
    let bytes: [UInt8]

    init(of value: JSONValue) {
        guard value.isContainer else {
            bytes = Words(of: value).bytes
            return
        }
        var open = [Container(value)]
        while true {
            if let child = open[open.count - 1].next() {
                if child.isContainer {
                    open.append(Container(child))
                } else {
                    open[open.count - 1].add(Words(of: child))
                }
            } else {
                let words = open.removeLast().words
                guard !open.isEmpty else {
                    bytes = words.bytes
                    return
                }
                open[open.count - 1].add(words)
            }
        }
    }

    /// Half of a SHA-256 as two numbers.
    private struct Words {
        var high: UInt64 = 0
        var low: UInt64 = 0

        init() {}

        init(hashing bytes: [UInt8]) {
            let digest = SHA256.hash(data: bytes)
            for (index, byte) in digest.prefix(16).enumerated() {
                if index < 8 {
                    high = high << 8 | UInt64(byte)
                } else {
                    low = low << 8 | UInt64(byte)
                }
            }
        }

        /// Hashes a value that is not a container. A string and a number with the same characters
        /// differ.
        init(of value: JSONValue) {
            self.init(
                hashing: value.stringBytes.map { [UInt8(ascii: "s")] + $0 } ?? [0] + value.rawText)
        }

        mutating func add(_ other: Self) {
            high &+= other.high
            low &+= other.low
        }

        var bytes: [UInt8] {
            [high, low].flatMap { word in
                (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * UInt64($0))) }
            }
        }
    }

    /// An object or array whose values are being added.
    private struct Container {
        private let isObject: Bool
        private var members: JSONMembers
        private var elements: JSONElements
        /// The key or index of the next value.
        private var key: [UInt8] = []
        private var index = 0
        private var sum = Words()

        init(_ value: JSONValue) {
            isObject = value.kind == .object
            members = value.members
            elements = value.elements
        }

        mutating func next() -> JSONValue? {
            guard isObject else {
                index += 1
                key = Array("\(index)".utf8)
                return elements.next()
            }
            guard let member = members.next() else { return nil }
            key = Array(member.key.utf8)
            return member.value
        }

        mutating func add(_ words: Words) { sum.add(Words(hashing: words.bytes + key)) }

        var words: Words {
            Words(hashing: [UInt8(ascii: isObject ? "o" : "a")] + sum.bytes)
        }
    }
}

extension JSONValue {
    fileprivate var isContainer: Bool { kind == .object || kind == .array }
}
