package import GRPCCore

extension OTLPStatus: OTLPMessage {
    package static var subject: String { "status" }

    package func convertIdentifiers(_: IdentifierConversion) {}

    package func checkEnumerations() {}

    /// - Parameter message: A message in the form `subject: problem: next step`.
    package init(_ code: RPCError.Code, _ message: String) {
        self.init()
        self.code = Int32(code.rawValue)
        self.message = message
    }
}
