package import SwiftProtobuf

// The messages of grpc.health.v1 have one field each, with number 1, and are therefore encoded like
// protobuf's wrappers of a single value.

package typealias HealthCheckRequest = Google_Protobuf_StringValue
package typealias HealthCheckResponse = Google_Protobuf_Int32Value

extension HealthCheckRequest {
    package init(protobuf bytes: [UInt8]) throws { try self.init(serializedBytes: bytes) }

    /// The name of the service; empty for the whole server.
    package var service: String { value }
}

extension HealthCheckResponse {
    /// - Parameter status: `HealthCheckResponse.ServingStatus`.
    package init(status: Int32) { self.init(status) }
}
