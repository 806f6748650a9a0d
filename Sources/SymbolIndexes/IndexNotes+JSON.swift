// Section 10 is JSON, so that any program can show it. Written in one order, without white space; read
// back as JSON in which unknown members are not expected, for no other program writes it.

extension IndexNotes {
    /// The notes as JSON text. Failed units and warnings are sentences.
    var json: [UInt8] {
        let members = [
            "\"producers\":\(Self.list(producers.map(Self.quoted)))",
            "\"dwarf_versions\":\(Self.list(dwarfVersions.map(String.init)))",
            "\"units_read\":\(unitsRead)", "\"units_failed\":\(unitsFailed)",
            "\"failures\":\(Self.list(failures.map(Self.quoted)))",
            "\"warnings\":\(Self.list(warnings.map(Self.quoted)))",
        ]
        return Array("{\(members.joined(separator: ","))}".utf8)
    }

    private static func list(_ items: [String]) -> String {
        "[\(items.joined(separator: ","))]"
    }

    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for character in text.unicodeScalars {
            switch character {
            case "\"", "\\": quoted += "\\\(character)"
            case "\0"..."\u{1f}":
                let digits = String(character.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(character)
            }
        }
        return quoted + "\""
    }

    /// - Returns: `nil` unless `json` is what ``json`` writes, apart from the order of members.
    init?(json: Span<UInt8>, hasDebugInformation: Bool) {
        self.init(hasDebugInformation: hasDebugInformation)
        var reader = NotesReader(bytes: json.indices.map { json[$0] })
        guard reader.take("{") else { return nil }
        repeat {
            guard let key = reader.text(), reader.take(":"), readMember(key, from: &reader)
            else { return nil }
        } while reader.take(",")
        guard reader.take("}"), reader.isAtEnd else { return nil }
    }

    private mutating func readMember(_ key: String, from reader: inout NotesReader) -> Bool {
        switch key {
        case "producers":
            reader.read {
                $0.list { $0.text() }
            } into: {
                producers = $0
            }
        case "dwarf_versions":
            reader.read {
                $0.list { $0.number() }
            } into: {
                dwarfVersions = $0
            }
        case "units_read":
            reader.read {
                $0.number()
            } into: {
                unitsRead = $0
            }
        case "units_failed":
            reader.read {
                $0.number()
            } into: {
                unitsFailed = $0
            }
        case "failures":
            reader.read {
                $0.list { $0.text() }
            } into: {
                failures = $0
            }
        case "warnings":
            reader.read {
                $0.list { $0.text() }
            } into: {
                warnings = $0
            }
        default: false
        }
    }
}

/// Reads the little JSON that notes need: texts, numbers without sign or fraction, lists of either.
private struct NotesReader {
    let bytes: [UInt8]
    private var place = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { place == bytes.count }

    mutating func read<Value>(
        _ value: (inout Self) -> Value?, into store: (Value) -> Void
    ) -> Bool {
        guard let value = value(&self) else { return false }
        store(value)
        return true
    }

    /// Steps over `character` if it comes next.
    mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard place < bytes.count, bytes[place] == UInt8(ascii: character) else { return false }
        place += 1
        return true
    }

    mutating func list<Item>(_ item: (inout Self) -> Item?) -> [Item]? {
        guard take("[") else { return nil }
        if take("]") { return [] }
        var items: [Item] = []
        repeat {
            guard let item = item(&self) else { return nil }
            items.append(item)
        } while take(",")
        return take("]") ? items : nil
    }

    mutating func number() -> Int? {
        let digits = bytes[place...].prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")) ~= $0 }
        place += digits.count
        return Int(String(decoding: digits, as: UTF8.self))
    }

    mutating func text() -> String? {
        guard take("\"") else { return nil }
        var text: [UInt8] = []
        while place < bytes.count {
            let byte = bytes[place]
            place += 1
            if byte == UInt8(ascii: "\"") { return String(decoding: text, as: UTF8.self) }
            if byte == UInt8(ascii: "\\") {
                guard let escaped = escapedByte() else { return nil }
                text.append(escaped)
            } else {
                text.append(byte)
            }
        }
        return nil
    }

    private mutating func escapedByte() -> UInt8? {
        for character in ["\"", "\\"] as [Unicode.Scalar] where take(character) {
            return UInt8(ascii: character)
        }
        guard take("u"), bytes.count - place >= 4 else { return nil }
        let digits = String(decoding: bytes[place..<place + 4], as: UTF8.self)
        place += 4
        return UInt8(digits, radix: 16)
    }
}
