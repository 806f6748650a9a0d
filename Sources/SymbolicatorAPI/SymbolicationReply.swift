public import CallStacks
import JSONText
public import Problems

/// Writes the response to a symbolication request in the form of Symbolicator.
///
/// Columns are added as `colno`, which Symbolicator does not write.
public struct SymbolicationReply {
    /// The maximum size of a response, in bytes.
    public static let sizeLimit = 64 << 20

    private var writer = JSONWriter()

    private init() {}

    /// Returns the response to an address list.
    ///
    /// - Parameter diagnostic: The symbolicated ``StackTraceQuery/diagnostic``.
    /// - Throws: ``QueryError`` if the response would be too large.
    public static func json(
        _ diagnostic: SymbolicatedDiagnostic, for query: StackTraceQuery
    ) throws(QueryError) -> [UInt8] {
        var reply = Self()
        reply.writer.beginObject()
        reply.text("status", "completed")
        reply.number("signal", query.signal)
        try reply.writeThreads(of: query, diagnostic: diagnostic)
        let used = query.usedModules
        let statuses = diagnostic.imageStatuses
        reply.writer.key("modules")
        reply.writer.beginArray()
        for (number, module) in query.modules.enumerated() {
            let status = module.image.flatMap { statuses[$0] }
            reply.write(
                module, state: ModuleState(status, isUsed: used.contains(number)),
                listsCandidates: query.listsCandidates)
        }
        reply.writer.endArray()
        reply.writer.endObject()
        return reply.writer.bytes
    }

    /// Writes the stacks in the sender's order. Positions count from the innermost frame in either
    /// order, as Symbolicator's do.
    private mutating func writeThreads(
        of query: StackTraceQuery, diagnostic: SymbolicatedDiagnostic
    ) throws(QueryError) {
        let table = ModuleTable(query.modules)
        var first = 0
        writer.key("stacktraces")
        writer.beginArray()
        for (thread, stack) in zip(query.threads, diagnostic.stacks) {
            writer.beginObject()
            number("thread_id", thread.id)
            text("thread_name", thread.name)
            flag("is_requesting", thread.isRequesting)
            if let registers = thread.registers {
                writer.key("registers")
                writer.copy(registers)
            }
            writer.key("frames")
            writer.beginArray()
            for row in query.isCallerFirst ? Array(stack.frames.reversed()) : Array(stack.frames) {
                let frame = diagnostic.frames[row]
                let position = frame.physical - first
                let source = thread.frames[position]
                let module = query.module(of: source, table: table).map { query.modules[$0] }
                write(frame, at: position, source: source, module: module)
                try checkSize()
            }
            writer.endArray()
            writer.endObject()
            first += thread.frames.count
        }
        writer.endArray()
    }

    private mutating func write(
        _ frame: SymbolicatedFrame, at position: Int, source: StackTraceQuery.Frame,
        module: ModuleDescription?
    ) {
        writer.beginObject()
        text("status", FrameState(frame, hasModule: module != nil).rawValue)
        number("original_index", UInt64(position))
        // As in Symbolicator's responses, the address of a resolved frame is that of the process,
        // unless the module's place in it is unknown.
        let base = module?.base ?? 0
        let isMoved = source.relativeModule != nil && frame.status.isResolved && base > 0
        let shown = isMoved ? base &+ source.address : source.address
        let isRelative = source.relativeModule != nil && !isMoved
        address("instruction_addr", shown)
        if let module = source.relativeModule, isRelative { text("addr_mode", "rel:\(module)") }
        text("package", module?.codeFile)
        if frame.status.isResolved {
            // Unlike the address, the offset never has a Thumb bit.
            let plain = frame.offset.map { (isRelative ? 0 : base) &+ $0.rawValue }
            writeFunction(of: frame, at: plain ?? shown)
        } else {
            // The sender's own values are kept.
            for key in ["function", "symbol", "filename", "abs_path", "lineno"] {
                guard let value = source.source[key], value.kind != .null else { continue }
                writer.key(key)
                writer.copy(value)
            }
        }
        if let trust = source.source["trust"]?.string { text("trust", trust) }
        writer.endObject()
    }

    private mutating func writeFunction(of frame: SymbolicatedFrame, at address: UInt64?) {
        text("lang", SourceLanguage(frame)?.rawValue)
        text("symbol", frame.mangled ?? frame.function)
        if let address, let distance = frame.functionDistance, distance <= address {
            self.address("sym_addr", address - distance)
        }
        text("function", frame.function)
        text("filename", frame.file?.name)
        text("abs_path", frame.file?.path)
        for (key, number) in [("lineno", frame.line), ("colno", frame.column)] where number > 0 {
            self.number(key, UInt64(number))
        }
    }

    private mutating func write(
        _ module: ModuleDescription, state: ModuleState, listsCandidates: Bool
    ) {
        writer.beginObject()
        text("debug_status", state.debugStatus)
        writer.key("features")
        writeFeatures(state)
        text("arch", state.architecture ?? "unknown")
        text("type", module.type)
        text("code_id", module.codeID)
        text("code_file", module.codeFile)
        text("debug_id", module.debugID)
        text("debug_file", module.debugFile)
        address("image_addr", module.base)
        number("image_size", module.size)
        if listsCandidates { writeCandidates(module, state: state) }
        writer.endObject()
    }

    private mutating func writeFeatures(_ state: ModuleState) {
        writer.beginObject()
        flag("has_debug_info", state.hasDebugInformation)
        flag("has_unwind_info", false)
        flag("has_symbols", state.hasSymbols)
        flag("has_sources", false)
        writer.endObject()
    }

    private mutating func writeCandidates(_ module: ModuleDescription, state: ModuleState) {
        writer.key("candidates")
        writer.beginArray()
        if state.isUsed, let image = module.image {
            writer.beginObject()
            text("source", "symbolist")
            text("location", image.hex)
            writer.key("download")
            writer.beginObject()
            text("status", state.hasSymbols ? "ok" : "notfound")
            if state.hasSymbols {
                writer.key("features")
                writeFeatures(state)
            }
            writer.endObject()
            if state.hasSymbols {
                writer.key("debug")
                writer.beginObject()
                text("status", "ok")
                writer.endObject()
            }
            writer.endObject()
        }
        writer.endArray()
    }

    private func checkSize() throws(QueryError) {
        guard writer.bytes.count <= Self.sizeLimit else {
            throw .tooLarge(
                "response", "larger than \(Self.sizeLimit) bytes",
                suggestion: "send fewer frames at a time")
        }
    }

    private mutating func text(_ key: String, _ value: String?) {
        guard let value else { return }
        writer.key(key)
        writer.string(value)
    }

    private mutating func number(_ key: String, _ value: UInt64?) {
        guard let value else { return }
        writer.key(key)
        writer.unsigned(value)
    }

    private mutating func flag(_ key: String, _ value: Bool?) {
        guard let value else { return }
        writer.key(key)
        writer.bool(value)
    }

    private mutating func address(_ key: String, _ value: UInt64?) {
        text(key, value.map { "0x" + String($0, radix: 16) })
    }
}

extension SymbolicationReply {
    /// Returns the response to a crash report.
    ///
    /// - Throws: ``QueryError`` if the response would be too large.
    public static func json(
        ofReport diagnostic: SymbolicatedDiagnostic
    ) throws(QueryError) -> [UInt8] {
        var reply = Self()
        reply.writer.beginObject()
        reply.text("status", "completed")
        reply.writeSummary(of: diagnostic)
        reply.writeRemarks(of: diagnostic)
        let modules = diagnostic.modules
        let paths = modules.reduce(into: [ImageID: String]()) { paths, module in
            if let image = module.image { paths[image] = module.codeFile }
        }
        reply.writer.key("stacktraces")
        reply.writer.beginArray()
        let threads = diagnostic.stacks.filter { $0.role == .thread }
        // Symbolicator has only threads, so clients expect them first.
        for stack in threads + diagnostic.stacks.filter({ $0.role != .thread }) {
            try reply.write(stack, of: diagnostic, paths: paths)
        }
        reply.writer.endArray()
        let used = Set(diagnostic.frames.compactMap(\.image))
        let statuses = diagnostic.imageStatuses
        reply.writer.key("modules")
        reply.writer.beginArray()
        for module in modules {
            let isUsed = module.image.map(used.contains) ?? false
            let status = module.image.flatMap { statuses[$0] }
            reply.write(module, state: ModuleState(status, isUsed: isUsed), listsCandidates: false)
        }
        reply.writer.endArray()
        reply.writer.endObject()
        return reply.writer.bytes
    }

    private mutating func writeSummary(of diagnostic: SymbolicatedDiagnostic) {
        let details = diagnostic.details
        number("timestamp", details.timestamp.flatMap { ReportTimestamp(text: $0)?.seconds })
        number("signal", details.signal)
        flag("crashed", true)
        writer.key("system_info")
        writer.beginObject()
        let system = SystemVersion(details.osVersion ?? "")
        text("os_name", system.name)
        text("os_version", system.version)
        text("os_build", system.build)
        text("cpu_arch", details.architecture)
        text("device_model", details.deviceType)
        writer.endObject()
        text("crash_reason", details.exceptionWithSignal ?? diagnostic.exceptionName)
        text("crash_details", details.crashDetails)
    }

    /// Writes the facts about the report that Symbolicator does not have, such as that a stack
    /// exceeded a limit and was truncated.
    private mutating func writeRemarks(of diagnostic: SymbolicatedDiagnostic) {
        guard !diagnostic.remarks.isEmpty else { return }
        writer.key("remarks")
        writer.beginArray()
        for remark in diagnostic.remarks { writer.string(remark.rawValue) }
        writer.endArray()
    }

    private mutating func write(
        _ stack: CallStack, of diagnostic: SymbolicatedDiagnostic,
        paths: [ImageID: String]
    ) throws(QueryError) {
        writer.beginObject()
        if stack.role == .thread { number("thread_id", UInt64(clamping: stack.index)) }
        text("thread_name", stack.name)
        flag("is_requesting", stack.isAttributed)
        writer.key("frames")
        writer.beginArray()
        var physical: [Int: Int] = [:]
        for row in stack.frames {
            let frame = diagnostic.frames[row]
            let position = physical[frame.physical] ?? physical.count
            physical[frame.physical] = position
            write(frame, at: position, package: frame.image.flatMap { paths[$0] })
            try checkSize()
        }
        writer.endArray()
        writer.endObject()
    }

    private mutating func write(
        _ frame: SymbolicatedFrame, at position: Int, package: String?
    ) {
        let loaded = frame.loadAddress.flatMap { base in
            frame.offset.map { base.rawValue &+ $0.rawValue }
        }
        let address = frame.address?.rawValue ?? loaded
        writer.beginObject()
        text("status", FrameState(frame, hasModule: frame.image != nil).rawValue)
        number("original_index", UInt64(position))
        self.address("instruction_addr", address ?? frame.offset?.rawValue)
        text("package", package ?? frame.imageName)
        if frame.status.isResolved || frame.function != nil {
            writeFunction(of: frame, at: address)
        }
        writer.endObject()
    }
}
