/// The kind of private value under a key, in JSON or text.
enum SensitiveKey: Hashable {
    /// An identifier of one device or person.
    case device
    /// A password, token or similar.
    case credential
    /// A message written by the program's author.
    case message
    /// The body of a log record: a message, or a report.
    case body
    /// Memory of the process.
    case memory
    /// Registers and similar values, which contain parts of the memory.
    case state
    /// The process's environment: hosts, arguments, variables.
    case surroundings
    /// Stacks as text, in which only frames are not private.
    case stackText
    /// The processes of the whole system.
    case processList
    /// The name of one of these processes.
    case processName
    /// A name from the code, or an identity, which stays unchanged.
    case name

    /// - Parameters:
    ///   - key: A JSON key.
    ///   - scope: The key of the object around it, if it is one of ``scopes``.
    init?(json key: String, in scope: String? = nil) {
        let path = scope.map { "\($0).\(key)" }
        if let known = path.flatMap({ Self.json[$0] }) ?? Self.json[key] {
            self = known
        } else if CredentialName.matches(key.utf8) {
            self = .credential
        } else {
            return nil
        }
    }

    /// The first words of dotted keys. A nested object is written with dots in an attribute of
    /// telemetry: `{"device": {"name": …}}` and `device.name`.
    static let scopes = Set(
        json.keys.filter { $0.contains(".") }.map { String($0.prefix { $0 != "." }) })

    /// - Parameter key: The text before a line's colon, in lower case.
    init?(line key: String) {
        guard let known = Self.lines[key] else { return nil }
        self = known
    }

    private static func table(_ rows: [(Self, [String])]) -> [String: Self] {
        Dictionary(rows.flatMap { row in row.1.map { ($0, row.0) } }) { first, _ in first }
    }

    private static let json = table([
        (
            .device,
            [
                "crashReporterKey", "CrashReporter Key", "Anonymous UUID", "device_app_hash",
                "install_id", "deviceIdentifierForVendor", "sleepWakeUUID", "bootSessionUUID",
                "app.installation.id", "device.id", "device.name", "enduser.id", "user",
                "user.id", "user.email", "user.name", "user.full_name", "beta_identifier",
            ]
        ),
        (
            .message,
            [
                "asi", "composed_message", "composedMessage", "arguments", "reason", "diagnosis",
                "console_log", "exception.message", "exception.value", "formatted", "params",
                "message", "abortMessage", "userInfo",
                "metrickit.diagnostic.crash.exception.objc.message",
            ]
        ),
        (.body, ["body"]),
        (.stackText, ["asiBacktraces"]),
        (.processList, ["processes", "processByPid"]),
        (
            .memory,
            [
                "capturedMemory", "notable_addresses", "last_dealloced_nsexception",
                "last_deallocated_obj", "referenced_object", "stack", "vars",
            ]
        ),
        (
            .state,
            ["threadState", "registers", "instructionByteStream", "vmSummary", "trialInfo"]
        ),
        (
            .surroundings,
            [
                "host", "hostname", "hostName", "server_name", "ip_address", "host.name", "host.id",
                "host.ip", "_HOSTNAME",
                "cmdline", "commandLine", "_CMDLINE", "argv", "args", "env", "environment",
                "process.command", "process.command_line", "process.command_args",
                "client.address", "server.address", "net.host.name", "net.peer.name",
            ]
        ),
        (
            .name,
            [
                "symbol", "symbol_name", "symbolName", "mangled", "description", "uuid",
                "binaryUUID", "buildId", "binaryName", "object_name", "slice_uuid",
                "app.debug.build_uuid", "format_string", "formatString", "code.function.name",
                "function", "raw_function",
            ]
        ),
    ])

    private static let lines = table([
        (
            .device,
            [
                "crashreporter key", "anonymous uuid", "sleep/wake uuid", "boot session uuid",
                "beta identifier", "uid", "gid", "owner uid", "machine id", "boot id", "storage",
            ]
        ),
        (
            .message,
            [
                "exception message", "exception reason", "abort message",
                "application specific information", "application specific signatures",
                "filtered syslog",
            ]
        ),
        (
            .surroundings,
            [
                "host", "hostname", "host name", "command line", "cmdline", "arguments",
                "environment", "ip address",
            ]
        ),
    ])
}
