import CallStacks
import JSONText

extension IPSRewriter {
    /// Returns the note on a record, which is stored under Symbolist's own key, or `nil` if there
    /// is none or it does not change.
    ///
    ///     {"path":…,"column":…,"mangled":…,"was":{"symbol":…,"symbolLocation":…}}
    ///
    /// - Parameter annotates: Whether to add more than the replaced name.
    func note(
        on owner: JSONValue, _ function: SymbolicatedFrame, annotates: Bool
    ) -> [UInt8]? {
        let old = owner["symbolist"]
        guard annotates || old == nil else { return nil }
        var writer = JSONWriter()
        writer.beginObject()
        if annotates { writer.annotate(function) }
        writer.keep(owner, givingWayTo: function)
        writer.endObject()
        return writer.bytes.count > 2 ? writer.bytes : nil
    }

    /// Returns an edit that adds statistics about the frames as the last key of the body.
    func summary(_ diagnostic: SymbolicatedDiagnostic) -> Edit? {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("status")
        writer.string(diagnostic.status.rawValue)
        writer.key("missing")
        writer.beginArray()
        for image in diagnostic.images where image.status == .missing {
            writer.beginObject()
            writer.key("name")
            writer.string(image.name ?? "")
            writer.key("uuid")
            writer.string(image.image?.description ?? "")
            writer.key("frames")
            writer.unsigned(UInt64(clamping: image.frameCount))
            writer.endObject()
        }
        writer.endArray()
        if diagnostic.redaction != .none {
            writer.key("redacted")
            writer.string(diagnostic.redaction.rawValue)
        }
        writer.endObject()
        return JSONObjectText(root, in: bytes).appending([(key: "symbolist", value: writer.bytes)])
    }
}

extension JSONWriter {
    fileprivate mutating func annotate(_ function: SymbolicatedFrame) {
        if let path = function.file?.path {
            key("path")
            string(path)
        }
        if function.exactColumn > 0 {
            key("column")
            unsigned(UInt64(function.exactColumn))
        }
        if let mangled = function.mangled {
            key("mangled")
            string(mangled)
        }
    }

    /// Writes the record's previous name, if it was different.
    fileprivate mutating func keep(
        _ record: JSONValue, givingWayTo function: SymbolicatedFrame
    ) {
        if let was = record["symbolist"]?["was"] {
            key("was")
            return copy(was)
        }
        guard let name = record["symbol"]?.nonEmpty, name != function.function else { return }
        key("was")
        beginObject()
        key("symbol")
        string(name)
        if let distance = record["symbolLocation"] {
            key("symbolLocation")
            copy(distance)
        }
        endObject()
    }
}
