/// The attributes that are read and written, in one place, so that a later convention of
/// OpenTelemetry can be added beside them.
enum AttributeKeys {
    static let stackTrace = "exception.stacktrace"
    static let original = "exception.stacktrace.original"
    static let exceptionType = "exception.type"
    static let exceptionMessage = "exception.message"
    static let failed = "exception.symbolicator.failed"
    static let error = "exception.symbolicator.error"
    static let status = "symbolist.status"
    static let frames = "symbolist.frames.total"
    static let symbolicatedFrames = "symbolist.frames.symbolicated"
    static let missingImages = "symbolist.images.missing"
    static let fingerprint = "symbolist.fingerprint"
    static let culprit = "symbolist.culprit"
    static let revision = "symbolist.revision"
    static let function = "code.function.name"
    static let path = "code.file.path"
    static let line = "code.line.number"
    static let column = "code.column.number"
    static let uid = "log.record.uid"
    static let serviceName = "service.name"
    static let serviceVersion = "service.version"
}
