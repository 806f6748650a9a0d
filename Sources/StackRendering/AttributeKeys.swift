/// The attributes of a log record from which diagnostics are read and to which they are written.
/// They are in one place, so that a later OpenTelemetry convention can be added.
package enum AttributeKeys {
    package static let stackTrace = "exception.stacktrace"
    package static let original = "exception.stacktrace.original"
    package static let exceptionType = "exception.type"
    package static let exceptionMessage = "exception.message"
    package static let failed = "exception.symbolicator.failed"
    package static let error = "exception.symbolicator.error"
    package static let status = "symbolist.status"
    package static let frames = "symbolist.frames.total"
    package static let symbolicatedFrames = "symbolist.frames.symbolicated"
    package static let missingImages = "symbolist.images.missing"
    package static let fingerprint = "symbolist.fingerprint"
    package static let culprit = "symbolist.culprit"
    package static let revision = "symbolist.revision"
    package static let function = "code.function.name"
    package static let path = "code.file.path"
    package static let line = "code.line.number"
    package static let column = "code.column.number"
    package static let uid = "log.record.uid"
    package static let serviceName = "service.name"
    package static let serviceVersion = "service.version"
}
