import CallStacks
import JSONText
import MetricKitPayloads

/// The details of a KSCrash report.
struct KSCrashDetails {
    let root: JSONValue

    var details: DiagnosticDetails {
        var details = DiagnosticDetails()
        let system = root["system"]
        details.processName =
            system?["process_name"]?.nonEmpty ?? root["report"]?["process_name"]?.nonEmpty
        details.appVersion = system?["CFBundleShortVersionString"]?.nonEmpty
        details.appBuild = system?["CFBundleVersion"]?.nonEmpty
        details.bundleIdentifier = system?["CFBundleIdentifier"]?.nonEmpty
        details.deviceType = system?["machine"]?.nonEmpty
        details.architecture = system?["cpu_arch"]?.nonEmpty
        details.osVersion = osVersion
        details.timestamp = time
        addError(to: &details)
        return details
    }

    /// The system: `iOS 18.0 (22A3351)`.
    private var osVersion: String? {
        guard let system = root["system"], let version = system["system_version"]?.nonEmpty
        else { return nil }
        let name = system["system_name"]?.nonEmpty
        let build = system["os_version"]?.nonEmpty.map { "(\($0))" }
        return [name, version, build].compactMap { $0 }.joined(separator: " ")
    }

    /// The time: text is kept; a number is in seconds, milliseconds or microseconds, depending on
    /// its size. Dates in January 1970 come from a faulty writer and are ignored.
    private var time: String? {
        guard let value = root["report"]?["timestamp"] else { return nil }
        if let text = value.nonEmpty { return text.hasPrefix("1970-01") ? nil : text }
        guard let number = value.unsigned else { return nil }
        let milliseconds =
            if number > 100_000_000_000_000 {
                number / 1_000
            } else if number > 100_000_000_000 { number } else { number * 1_000 }
        guard milliseconds > 31 * 86_400_000, let exact = Int64(exactly: milliseconds)
        else { return nil }
        return UnixTime(rawValue: exact).text
    }

    private func addError(to details: inout DiagnosticDetails) {
        guard let error = root["crash"]?["error"] else { return }
        if let mach = error["mach"] { addException(mach, to: &details) }
        if let signal = error["signal"] { addSignal(signal, to: &details) }
        let reason = error["reason"]?.nonEmpty
        let exceptions = ["nsexception", "cpp_exception", "user_reported"].map { error[$0] }
        if let exception = exceptions.compactMap(\.self).first(where: { $0.kind == .object }) {
            details.objectiveCExceptionName = exception["name"]?.nonEmpty
            details.objectiveCExceptionMessage = exception["reason"]?.nonEmpty ?? reason
        } else if let reason {
            details.runtimeMessage = reason
        }
        if let diagnosis = root["crash"]?["diagnosis"]?.nonEmpty {
            details.add(message: diagnosis, from: nil)
        }
        if let type = error["type"]?.nonEmpty, details.exceptionType == nil,
            details.exceptionName == nil, details.signal == nil
        {
            details.exceptionName = type
        }
    }

    /// - Parameter mach: An object with the exception's number, name or both, or one of them alone.
    private func addException(_ mach: JSONValue, to details: inout DiagnosticDetails) {
        let exception = mach["exception"] ?? mach
        let number = UInt64(lenient: exception)
        if let name = mach["exception_name"]?.nonEmpty ?? (number == nil ? exception.nonEmpty : nil)
        {
            details.setException(named: name)
        } else if number != 0 {
            details.exceptionType = number
        }
        details.exceptionCode = mach["code"].flatMap(UInt64.init(lenient:))
        details.exceptionSubtype = mach["code_name"]?.nonEmpty
    }

    /// - Parameter signal: An object with the signal's number, name or both, or one of them alone,
    ///   as other writers of the format put it.
    private func addSignal(_ signal: JSONValue, to details: inout DiagnosticDetails) {
        let value = signal["signal"] ?? signal
        details.signal = UInt64(lenient: value).flatMap { $0 == 0 ? nil : $0 }
        if details.signal == nil, let name = signal["name"]?.nonEmpty ?? value.nonEmpty {
            details.setSignal(named: name)
        }
    }
}
