import CallStacks
import JSONText

extension IPSRewriting {
    /// What is kept in a record under a key of ours; `nil` where that is nothing, or stays as it is.
    ///
    ///     {"path":…,"column":…,"mangled":…,"was":{"symbol":…,"symbolLocation":…}}
    ///
    /// - Parameter annotates: Whether to say more than which name gave way.
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

    /// What became of the frames, as the last key of the body.
    func summary(_ answer: SymbolicatedDiagnostic) -> Edit? {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("status")
        writer.string(answer.status.rawValue)
        writer.key("missing")
        writer.beginArray()
        for image in answer.images where image.status == .missing {
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
        if answer.redaction != .none {
            writer.key("redacted")
            writer.string(answer.redaction.rawValue)
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
        if function.writtenColumn > 0 {
            key("column")
            unsigned(UInt64(function.writtenColumn))
        }
        if let mangled = function.mangled {
            key("mangled")
            string(mangled)
        }
    }

    /// Writes the name that stood in a record first, where it was another one.
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
