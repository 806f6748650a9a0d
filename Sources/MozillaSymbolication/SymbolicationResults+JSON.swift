import CallStacks
import JSONText
public import Problems

extension SymbolicationResults {
    /// The maximum size of a response, in bytes.
    public static let responseLimit = 64 << 20

    /// Returns the response of version 5.
    ///
    /// - Parameter hasCounts: Whether results also have the counts of their frames and modules.
    /// - Throws: ``QueryError`` if the response would be too large.
    public func version5(
        _ query: SymbolicationQuery, hasCounts: Bool
    ) throws(QueryError) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("results")
        writer.beginArray()
        for job in query.jobs {
            writer.beginObject()
            writer.key("stacks")
            writer.beginArray()
            for stack in job.stacks {
                writer.beginArray()
                for (number, frame) in stack.enumerated() {
                    write(frame, number: number, of: job, to: &writer)
                    try check(writer)
                }
                writer.endArray()
            }
            writer.endArray()
            writeModules(of: job, to: &writer)
            if hasCounts { writeCounts(of: job, to: &writer) }
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
        return writer.bytes
    }

    /// Returns the response of version 4, which has strings instead of frames, and a single job.
    ///
    /// - Throws: ``QueryError`` if the response would be too large.
    public func version4(_ query: SymbolicationQuery) throws(QueryError) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("symbolicatedStacks")
        writer.beginArray()
        let job = query.jobs.first
        for stack in job?.stacks ?? [] {
            writer.beginArray()
            for frame in stack {
                let function = job.flatMap { result(for: frame, of: $0) }?.functions.last
                let name = function?.name.map { names[$0].shown } ?? Self.text(frame.offset)
                let module = frame.module.flatMap { job?.modules[$0].name } ?? Self.unknownModule
                writer.string("\(name) (in \(module))")
                try check(writer)
            }
            writer.endArray()
        }
        writer.endArray()
        writer.key("knownModules")
        writer.beginArray()
        for module in job?.modules ?? [] { writer.bool(modules[module]?.image != nil) }
        writer.endArray()
        writer.endObject()
        return writer.bytes
    }

    private func check(_ writer: JSONWriter) throws(QueryError) {
        guard writer.bytes.count <= Self.responseLimit else {
            throw .tooLarge(
                "response", "larger than \(Self.responseLimit) bytes",
                suggestion: "send fewer frames at a time")
        }
    }

    private static let unknownModule = "<unknown>"

    private static func text(_ offset: UInt64?) -> String {
        offset.map { "0x" + String($0, radix: 16) } ?? "-0x1"
    }

    private func result(
        for frame: SymbolicationQuery.Frame, of job: SymbolicationQuery.Job
    ) -> OffsetLookupResult? {
        guard let module = frame.module, let offset = frame.offset,
            let image = modules[job.modules[module]]?.image
        else { return nil }
        return results[Key(image: image, offset: ImageOffset(offset))]
    }

    private func write(
        _ frame: SymbolicationQuery.Frame, number: Int, of job: SymbolicationQuery.Job,
        to writer: inout JSONWriter
    ) {
        writer.beginObject()
        writer.key("frame")
        writer.unsigned(UInt64(number))
        writer.key("module")
        writer.string(frame.module.map { job.modules[$0].name } ?? Self.unknownModule)
        writer.key("module_offset")
        writer.string(Self.text(frame.offset))
        if let result = result(for: frame, of: job), let function = result.functions.last {
            write(function, to: &writer)
            writeRange(of: function, in: result, to: &writer)
            if result.functions.count > 1 {
                writer.key("inlines")
                writer.beginArray()
                for call in result.functions.dropLast() {
                    writer.beginObject()
                    write(call, to: &writer)
                    writer.endObject()
                }
                writer.endArray()
            }
        }
        writer.endObject()
    }

    /// Writes a function's name and location. A line is written only with a file, and never as 0.
    private func write(_ function: ResolvedFunction, to writer: inout JSONWriter) {
        if let name = function.name {
            writer.key("function")
            writer.string(names[name].shown)
        }
        guard let file = function.file else { return }
        writer.key("file")
        writer.string(files[file].path)
        for (key, number) in [("line", function.line), ("column", function.column)] {
            guard number > 0 else { break }
            writer.key(key)
            writer.unsigned(UInt64(number))
        }
    }

    private func writeRange(
        of function: ResolvedFunction, in result: OffsetLookupResult, to writer: inout JSONWriter
    ) {
        guard let distance = result.distance(in: function), let start = result.functionStart
        else { return }
        writer.key("function_offset")
        writer.string(Self.text(distance))
        guard let end = functionEnds[Key(image: result.image, offset: start)] else { return }
        writer.key("function_size")
        writer.string(Self.text(end.rawValue - start.rawValue))
    }

    private func writeModules(of job: SymbolicationQuery.Job, to writer: inout JSONWriter) {
        var seen: Set<SymbolicationQuery.Module> = []
        let distinct = job.modules.filter { seen.insert($0).inserted }
        let used = Set(job.stacks.joined().compactMap { $0.module.map { job.modules[$0] } })
        writer.key("found_modules")
        writer.beginObject()
        for module in distinct {
            writer.key(module.key)
            if used.contains(module) {
                writer.bool(modules[module]?.image != nil)
            } else {
                writer.null()
            }
        }
        writer.endObject()
        writer.key("module_errors")
        writer.beginObject()
        for module in distinct where used.contains(module) {
            guard let (name, message) = modules[module]?.error else { continue }
            writer.key(module.key)
            writer.beginArray()
            writer.beginObject()
            writer.key("name")
            writer.string(name)
            writer.key("message")
            writer.string(message)
            writer.endObject()
            writer.endArray()
        }
        writer.endObject()
    }

    private func writeCounts(of job: SymbolicationQuery.Job, to writer: inout JSONWriter) {
        let found = Set(job.modules).filter { modules[$0]?.image != nil }
        writer.key("debug")
        writer.beginObject()
        for (name, count) in [
            ("stacks", job.stacks.count), ("frames", job.stacks.joined().count),
            ("modules", job.modules.count), ("modules_found", found.count),
        ] {
            writer.key(name)
            writer.unsigned(UInt64(count))
        }
        writer.endObject()
    }
}

extension SymbolicationResults.ModuleStatus {
    /// The protocol's name for a problem with a module, and a message.
    fileprivate var error: (name: String, message: String)? {
        switch self {
        case .found: nil
        case .noDebugInfo(let image):
            (FrameStatus.noDebugInfo.rawValue, "\(image) has symbols and no debug information")
        case .failed(let status, let message): (status.rawValue, message)
        }
    }
}
