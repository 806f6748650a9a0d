/// Every key of the configuration. `serve --help`, the table of the README and all checks are made
/// from it.
public enum SettingTable {
    static let variablePrefix = "SYMBOLIST_"

    private static let port = SettingKind.number(0...65_535)
    private static let count = SettingKind.number(1...1_000_000_000)
    private static let levels = [
        "trace", "debug", "info", "notice", "warning", "error", "critical",
    ]

    public static let settings: [Setting] =
        basics + access + exports + stacks + limits + retention + operation

    private static let basics: [Setting] = [
        Setting("data", .path, standard: "symbolist-data", "Folder that everything is kept in"),
        Setting("http.host", .text, standard: "127.0.0.1", "Address that HTTP listens on"),
        Setting("http.port", port, standard: "4318", "Port of HTTP; 0 takes a free one"),
        Setting(
            "http.hosts", .hosts,
            "Hosts that clients without a token may address HTTP by, besides loopback and `http.host`"
        ),
        Setting("grpc.enabled", .boolean, standard: "true", "Whether gRPC is served"),
        Setting("grpc.host", .text, standard: "127.0.0.1", "Address that gRPC listens on"),
        Setting("grpc.port", port, standard: "4317", "Port of gRPC; 0 takes a free one"),
        Setting("tls.certificate", .path, "Certificate chain (PEM) of HTTP and gRPC; turns TLS on"),
        Setting("tls.key", .path, "Private key (PEM) of the certificate"),
        Setting(
            "tls.client_ca", .path,
            "Authorities (PEM), one of which must have signed a client's certificate"),
    ]

    private static let access: [Setting] = [
        Setting(
            "auth.anonymous", .boolean, standard: "false",
            "Whether the network may use the service without a token"),
        Setting("auth.tokens[].name", .text, "What the log calls the token"),
        Setting("auth.tokens[].token", .secret, "The token itself"),
        Setting("auth.tokens[].token_file", .path, "File that holds the token"),
        Setting(
            "auth.tokens[].sha256", .digest,
            "SHA-256 of the token, so that it is not written down"),
        Setting(
            "auth.tokens[].scopes", .choices(["ingest", "upload", "read"]),
            "What the token allows"),
        Setting("auth.tokens[].app", .text, "The only app that the token is for"),
    ]

    private static let exports: [Setting] = [
        Setting(
            "export[].name", .text,
            "Names its place in the queue; its URL or path if left out"),
        Setting(
            "export[].type", .choice(["otlp_http", "otlp_grpc", "file", "stdout"]),
            standard: "otlp_http",
            "How records are sent on"),
        Setting(
            "export[].url", .url,
            "Where `otlp_http` (`/v1/logs` is added) and `otlp_grpc` send to"),
        Setting("export[].logs_url", .url, "Where `otlp_http` sends logs to, as it is"),
        Setting("export[].traces_url", .url, "Where `otlp_http` sends traces to, as it is"),
        Setting("export[].metrics_url", .url, "Where `otlp_http` sends metrics to, as it is"),
        Setting("export[].path", .path, "File that is appended to, one request a line"),
        Setting(
            "export[].rotate.bytes", .unless("none", .size), standard: "none",
            "Size at which the file is put aside"),
        Setting(
            "export[].rotate.keep", .number(1...1_000), standard: "5",
            "How many files that were put aside stay"),
        Setting("export[].headers", .pairs, "Headers of every request, for instance a key"),
        Setting(
            "export[].compression", .choice(["gzip", "none"]), standard: "none", "Of what is sent"),
        Setting("export[].timeout", .duration, standard: "10s", "How long one attempt may take"),
        Setting(
            "export[].retry.initial", .duration, standard: "500ms",
            "Longest pause before the second attempt"),
        Setting(
            "export[].retry.max", .duration, standard: "30s", "Longest pause between two attempts"),
        Setting(
            "export[].retry.max_asked", .duration, standard: "5m",
            "Longest pause that the other side may ask for"),
        Setting(
            "export[].retry.max_elapsed", .unless("none", .duration), standard: "none",
            "How long a batch is tried before it is put aside"),
        Setting("export[].batch.bytes", .size, standard: "2MiB", "Most bytes sent at once"),
        Setting("export[].batch.records", count, standard: "1000", "Most records sent at once"),
        Setting(
            "export[].batch.delay", .duration, standard: "200ms",
            "How long a batch waits to fill up"),
        Setting(
            "export[].batch.in_flight", .number(1...64), standard: "4",
            "How many batches are on their way at once; 1 keeps their order"),
        Setting(
            "export[].tls.ca", .path,
            "Authorities (PEM) to trust instead of the system's"),
        Setting("export[].tls.certificate", .path, "Certificate chain (PEM) to show"),
        Setting("export[].tls.key", .path, "Private key (PEM) of that certificate"),
        Setting(
            "export[].tls.insecure", .boolean, standard: "false",
            "Whether any certificate will do; then anybody can listen"),
    ]

    private static let stacks: [Setting] = [
        Setting(
            "stacktrace.format", .choice(["text", "json"]), standard: "text",
            "How `exception.stacktrace` is written"),
        Setting(
            "stacktrace.keep_original", .boolean, standard: "true",
            "Whether `exception.stacktrace.original` goes out as well"),
        Setting(
            "stacktrace.full_paths", .boolean, standard: "false",
            "Whether stacks name files with their folders"),
        Setting(
            "metrickit.additions", .boolean, standard: "true",
            "Whether records of MetricKit payloads tell more than an app's SDK would"),
        Setting("hold", .duration, standard: "0s", "How long a record may wait for its symbols"),
        Setting(
            "resend.window", .duration, standard: "30d",
            "How long a record is kept to be sent again when its symbols arrive"),
        Setting("in_app.include", .patterns, "Images that are the app's own, first of all rules"),
        Setting("in_app.exclude", .patterns, "Images that are not"),
    ]

    private static let limits: [Setting] = [
        Setting("limits.body", .size, standard: "64MiB", "Largest request, unpacked"),
        Setting(
            "limits.bundle", .size, standard: "16GiB", "Largest upload of symbols, as it is sent"),
        Setting("limits.unpacked", .size, standard: "64GiB", "Largest upload of symbols, unpacked"),
        Setting("limits.frames", count, standard: "200000", "Most frames of one diagnostic"),
        Setting(
            "limits.depth", .number(1...16_384), standard: "16384", "Deepest nesting of its frames"),
        Setting(
            "limits.queue_bytes", .size, standard: "1GiB",
            "Most bytes that wait to be sent on; beyond it requests get 503; if not set, at most "
                + "an eighth of the disk. While there is no exporter, the oldest go beyond half of it"
        ),
        Setting(
            "limits.free_bytes", .unless("auto", .size), standard: "auto",
            "Free disk space below which requests and uploads get 503; `auto` is a sixteenth of "
                + "the disk, at most 1GiB"),
        Setting(
            "limits.mapped_bytes", .size, standard: "4GiB", "Most bytes of indexes that stay mapped"
        ),
        Setting(
            "limits.memory", .size, standard: "2GiB", "Memory of a process that reads an upload"),
        Setting(
            "limits.child_cpu", .duration, standard: "5m",
            "Processor time of a process that reads an upload"),
        Setting(
            "limits.children", .unless("auto", .number(1...64)), standard: "auto",
            "How many processes read uploads at once; `auto` is one a processor"),
        Setting(
            "limits.connections", count, standard: "4096",
            "Most connections at once, of HTTP and of gRPC; idle ones make room for new ones"),
        Setting(
            "limits.connections_per_client", .unless("auto", count), standard: "auto",
            "Most of these from one address, which may be a proxy; `auto` is half of them"),
        Setting(
            "limits.uploads", .number(1...100_000), standard: "64",
            "Uploads received at once, which may hold twice `limits.bundle` in all; beyond it they get 503"
        ),
        Setting(
            "limits.request_seconds", .number(1...86_400), standard: "60",
            "How many seconds a connection may be silent"),
    ]

    private static let retention: [Setting] = [
        Setting(
            "retention.symbols_age", .unless("none", .duration), standard: "none",
            "How long symbols are kept that nothing asked for"),
        Setting(
            "retention.symbols_bytes", .unless("none", .size), standard: "none",
            "Most bytes of symbols kept; those unused for longest go first; if not set, three "
                + "eighths of the disk"),
        Setting(
            "retention.diagnostics_age", .duration, standard: "30d",
            "How long diagnostics are kept, and dead letters"),
        Setting(
            "retention.diagnostics_bytes", .size, standard: "10GiB",
            "Most bytes of diagnostics kept, and of dead letters; the oldest go first; if not set, "
                + "at most a quarter and an eighth of the disk"),
    ]

    private static let operation: [Setting] = [
        Setting(
            "workers", .unless("auto", .number(1...256)), standard: "auto",
            "How many diagnostics are worked on at once; `auto` is one a processor"),
        Setting(
            "log.level", .choice(levels), standard: "info", "Least important lines that are logged"),
        Setting("log.format", .choice(["text", "json"]), standard: "text", "How lines are logged"),
        Setting("tracing.url", .url, "Where own traces are sent to, by OTLP over HTTP"),
    ]
}
