/// What looks at every request besides its route.
struct RequestWatch {
    let audit: AuditLog
    let connections: Connections

    init(_ audit: AuditLog, _ connections: Connections) {
        self.audit = audit
        self.connections = connections
    }
}
