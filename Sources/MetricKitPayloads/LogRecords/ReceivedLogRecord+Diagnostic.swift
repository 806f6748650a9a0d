import CallStacks

extension ReceivedLogRecord {
    /// Attributes that may contain a stack.
    enum StackKey {
        static let appleJSONSuffix = ".exception.stacktrace_json"
        /// Apple's attribute for each kind.
        static let appleJSON = DiagnosticKind.allCases.map { kind in
            (kind: kind, key: "metrickit.diagnostic.\(kind.rawValue)\(appleJSONSuffix)")
        }
        static let embrace = "emb.payload"
        static let crash = "crash.stacktrace"
        static let exception = "exception.stacktrace"
        /// The stack as received by a service that symbolicated it.
        static let original = "exception.stacktrace.original"
        static let general = [exception, crash, embrace]
    }

    /// Whether an attribute of this name may contain a stack.
    public static func mayContainStack(attribute key: String) -> Bool {
        mayContainStack(named: key.utf8.span)
    }

    /// Whether an attribute of this name in UTF-8 may contain a stack.
    static func mayContainStack(named key: Span<UInt8>) -> Bool {
        StackKey.general.contains { key.count == $0.utf8.count && key.ends(with: $0) }
            || key.ends(with: StackKey.appleJSONSuffix)
    }

    /// Whether its names identify it as a MetricKit diagnostic, whatever its content.
    public var namesDiagnostic: Bool { kind != nil }

    public var isSymbolicated: Bool { attributes["exception.symbolicator.failed"] == .bool(false) }

    /// Whether another service could not symbolicate it, for example because it had no symbols.
    public var isFailed: Bool { attributes["exception.symbolicator.failed"] == .bool(true) }

    /// Returns the stack in an attribute. If another service failed to symbolicate it, the
    /// attribute has that service's text, so the stack as received is returned from
    /// ``StackKey/original``.
    func stack(_ key: String) -> [UInt8]? {
        guard key == StackKey.exception, isFailed else { return bytes(key) }
        return bytes(StackKey.original) ?? bytes(key)
    }

    /// The attributes that may contain a stack, the most specific first. A certain one is always a
    /// stack; the others are also used for other purposes by some SDKs.
    var stackKeys: [(key: String, isCertain: Bool)] {
        let apple = StackKey.appleJSON.filter { attributes[$0.key] != nil }
        var keys = apple.map { (key: $0.key, isCertain: true) }
        if text("emb.provider") == "metrickit" { keys.append((StackKey.embrace, true)) }
        return keys + [(StackKey.crash, false), (StackKey.exception, false)]
    }

    /// The kind that names indicate: those of the event, the attributes, the scope.
    var kind: DiagnosticKind? {
        let prefix = "metrickit.diagnostic."
        for name in [eventName, text("name"), text("metrickit.diagnostic.name")] {
            if name == "device.crash" { return .crash }
            guard let name, name.hasPrefix(prefix) else { continue }
            if let kind = DiagnosticKind(rawValue: String(name.dropFirst(prefix.count))) {
                return kind
            }
        }
        for (ending, kind) in [
            ("MXHangDiagnostic", DiagnosticKind.hang), ("MXCrashDiagnostic", .crash),
        ]
        where scopeName?.hasSuffix(ending) == true {
            return kind
        }
        for (ending, kind) in [("ios.crash", DiagnosticKind.crash), ("ios.hang", .hang)]
        where text("emb.type")?.hasSuffix(ending) == true {
            return kind
        }
        return kindOfAttributes
    }

    private var kindOfAttributes: DiagnosticKind? {
        StackKey.appleJSON.first { attributes[$0.key] != nil }?.kind
    }

    /// Returns the record's facts about a stack in it.
    func context(range: Range<Int>) -> DiagnosticContext {
        let executable = Executable(
            name: resourceText("app.bundle.executable"),
            image: resourceText("app.debug.build_uuid").flatMap { ImageID($0) })
        return DiagnosticContext(
            kind: kind, details: details, executable: executable, range: range, isLogRecord: true)
    }

    /// The attributes' facts about the process that crashed. Resource attributes are ignored,
    /// because they describe the reporting process; only the architecture is the same for both.
    var details: DiagnosticDetails {
        var details = DiagnosticDetails()
        details.exceptionCode = integer("metrickit.diagnostic.crash.exception.code")
        setException(of: &details)
        details.terminationReason = text(
            "metrickit.diagnostic.crash.exception.termination_reason")
        // In a crash with a Mach exception or signal, the attributes only repeat it; in any other
        // record they name the exception.
        let isOfSystem =
            details.exceptionType != nil || details.signal != nil || details.exceptionName != nil
        let isException = kind == nil || kind == .crash && !isOfSystem
        details.objectiveCExceptionName =
            text("metrickit.diagnostic.crash.exception.objc.name")
            ?? (isException ? text("exception.type") : nil)
            ?? (isOfSystem ? nil : text("metrickit.diagnostic.crash.exception.objc.type"))
        details.objectiveCExceptionMessage =
            text("metrickit.diagnostic.crash.exception.objc.message")
            ?? (isException ? text("exception.message") : nil)
        details.virtualMemoryRegion = text(
            "metrickit.diagnostic.crash.virtual_memory_region_info")
        details.appVersion = text("metrickit.metadata.app_version")
        details.appBuild = text("metrickit.metadata.app_build_version")
        details.bundleIdentifier = text("metrickit.metadata.bundle_identifier")
        details.osVersion = text("metrickit.metadata.os_version")
        details.deviceType = text("metrickit.metadata.device_type")
        details.architecture = text("metrickit.metadata.platform_arch") ?? resourceText("host.arch")
        details.measurement = measurement
        details.timestamp =
            text("diagnostic.timestamp_end")
            ?? unixNanoseconds.map {
                UnixTime(rawValue: Int64($0 / 1_000_000)).iso8601(includesMilliseconds: false)
            }
        return details
    }

    /// Sets the Mach exception and the signal from their numbers, or from their names and
    /// descriptions if there are no numbers.
    private func setException(of details: inout DiagnosticDetails) {
        let prefix = "metrickit.diagnostic.crash.exception."
        let mach = text(prefix + "mach_exception.name")
        let signal = text(prefix + "signal.name")
        details.exceptionType =
            integer(prefix + "mach_exception.type")
            ?? mach.flatMap { MachException(name: $0)?.rawValue }
        details.signal =
            integer(prefix + "signal") ?? signal.flatMap { DarwinSignal(name: $0)?.rawValue }
        guard details.exceptionType == nil, details.signal == nil else { return }
        details.exceptionName = mach ?? signal
        details.fields[.exceptionMessage] =
            mach == nil
            ? text(prefix + "signal.description") : text(prefix + "mach_exception.description")
    }

    private static let measurements = [
        ("metrickit.diagnostic.hang.hang_duration", "s"),
        ("metrickit.diagnostic.cpu_exception.total_cpu_time", "s"),
        ("metrickit.diagnostic.disk_write_exception.total_writes_caused", "bytes"),
        ("metrickit.diagnostic.app_launch.launch_duration", "s"),
    ]

    private var measurement: String? {
        for (key, unit) in Self.measurements {
            switch attributes[key] {
            case .real(let number)?: return "\(number) \(unit)"
            case .integer(let number)?: return "\(number) \(unit)"
            case .text?, .bool?, nil: continue
            }
        }
        return nil
    }
}

extension Span<UInt8> {
    fileprivate func ends(with text: String) -> Bool {
        let wanted = text.utf8.span
        let start = count - wanted.count
        guard start >= 0 else { return false }
        for step in wanted.indices where self[start + step] != wanted[step] { return false }
        return true
    }
}
