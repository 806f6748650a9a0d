/// The parts of a listener that its middlewares use.
struct ListenerContext {
    let audit: AuditLog
    let connections: ConnectionRegistry
}
