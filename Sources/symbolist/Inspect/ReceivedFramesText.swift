import CallStacks
import JSONText
import StackRendering

/// Every received frame of a report with the offset to look up, for bug reports about wrong
/// results:
///
///       thread 0, crashed
///         0   OrchardKit    0x4170  return address   looked up at 0x416f
struct ReceivedFramesText {
    private(set) var text = ""

    init(_ tree: CallStackTree) {
        for stack in tree.stacks {
            text += "  \(Self.heading(of: stack, in: tree.form))\n"
            for number in stack.frames {
                add(tree.frames[number], number: number - stack.frames.lowerBound)
            }
        }
    }

    private static func heading(of stack: CallStack, in form: CallStackTree.Form) -> String {
        var words = stack.role == .thread ? "thread \(stack.index)" : stack.role.rawValue
        if stack.isAttributed { words += " (attributed)" }
        return words + (form == .sampled ? ", outermost first" : "")
    }

    private mutating func add(_ frame: CallFrame, number: Int) {
        let name = Console.oneLine(frame.imageName ?? frame.image?.description ?? "???")
        text += "    \(padded("\(number)", to: 3)) \(padded(name, to: 23)) "
        if let site = frame.site {
            let kind = site.kind.replacing("_", with: " ")
            text += "\(padded(hex(site.offset.rawValue), to: 11)) \(padded(kind, to: 16)) "
            text += "looked up at \(hex(site.lookupOffset.rawValue))\n"
        } else {
            text += "no offset\n"
        }
    }
}

extension JSONWriter {
    /// Writes the frames of a report:
    /// `[{"index", "attributed", "role", "frames": [{"image", "uuid", "offset", "kind", "lookup_offset", "address", "parent", "samples"}]}]`.
    /// A parent is an index into the frames of the stack.
    mutating func member(_ name: StaticString, framesOf tree: CallStackTree) {
        array(name, tree.stacks) { writer, stack in
            writer.beginObject()
            writer.member("index", UInt64(clamping: stack.index))
            writer.member("attributed", stack.isAttributed)
            writer.member("role", stack.role.rawValue)
            writer.array("frames", stack.frames) {
                $0.write(tree.frames[$1], from: stack.frames.lowerBound)
            }
            writer.endObject()
        }
    }

    private mutating func write(_ frame: CallFrame, from first: Int) {
        beginObject()
        member("image", frame.imageName)
        member("uuid", frame.image?.description)
        member("offset", frame.site?.offset.rawValue)
        member("kind", frame.site?.kind)
        member("lookup_offset", frame.site?.lookupOffset.rawValue)
        member("address", frame.address.map { hex($0.rawValue) })
        member("parent", frame.parent.map { UInt64(clamping: $0 - first) })
        member("samples", frame.samples)
        endObject()
    }
}

extension CallSite {
    /// The meaning of the offset, as in JSON.
    fileprivate var kind: String {
        switch self {
        case .programCounter: "program_counter"
        case .returnAddress: "return_address"
        case .adjusted: "adjusted"
        }
    }
}
