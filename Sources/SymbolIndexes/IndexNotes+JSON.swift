import JSONText

// Section 10 is JSON, so that any program can display it.

extension IndexNotes {
    /// The notes as JSON text. Failed units and warnings are sentences.
    var json: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.list("producers", producers) { $0.string($1) }
        writer.list("dwarf_versions", dwarfVersions) { $0.signed(Int64($1)) }
        writer.key("units_read")
        writer.signed(Int64(unitsRead))
        writer.key("units_failed")
        writer.signed(Int64(unitsFailed))
        writer.list("failures", failures) { $0.string($1) }
        writer.list("warnings", warnings) { $0.string($1) }
        writer.endObject()
        return writer.bytes
    }

    /// Parses notes. Returns `nil` unless `json` has every member that ``json`` writes.
    init?(json: [UInt8], flags: IndexFlags) {
        let document = JSONDocument(json)
        guard document.failure == nil, let notes = document.root,
            let producers = notes.list("producers", \.string),
            let versions = notes.list("dwarf_versions", \.unsigned),
            let failures = notes.list("failures", \.string),
            let warnings = notes.list("warnings", \.string),
            let unitsRead = notes["units_read"]?.unsigned,
            let unitsFailed = notes["units_failed"]?.unsigned
        else { return nil }
        self.init(
            producers: producers, dwarfVersions: versions.map { Int(clamping: $0) },
            unitsRead: Int(clamping: unitsRead), unitsFailed: Int(clamping: unitsFailed),
            failures: failures, warnings: warnings,
            hasDebugInformation: !flags.contains(.symbolTableOnly),
            isOfSystem: flags.contains(.systemImage),
            hasCompleteSymbols: flags.contains(.completeSymbols))
    }
}

extension JSONWriter {
    fileprivate mutating func list<Item>(
        _ name: String, _ items: [Item], _ write: (inout Self, Item) -> Void
    ) {
        key(name)
        beginArray()
        for item in items { write(&self, item) }
        endArray()
    }
}

extension JSONValue {
    /// Returns the items of an array member, or `nil` if it is missing or contains other types.
    fileprivate func list<Item>(_ name: String, _ item: (JSONValue) -> Item?) -> [Item]? {
        guard let member = self[name], member.kind == .array else { return nil }
        var items: [Item] = []
        for element in member.elements {
            guard let value = item(element) else { return nil }
            items.append(value)
        }
        return items
    }
}
