import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

extension Response {
    /// Returns a response with a value as JSON, with keys in alphabetical order.
    static func json(
        _ value: some Encodable, status: HTTPResponse.Status = .ok
    ) throws -> Response {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.keyEncodingStrategy = .convertToSnakeCase
        return json(bytes: [UInt8](try encoder.encode(value)), status: status)
    }

    /// Returns a response with a value as JSON, with unconverted keys.
    static func camelCaseJSON(_ value: some Encodable) throws -> Response {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return json(bytes: [UInt8](try encoder.encode(value)))
    }

    static func json(bytes: [UInt8], status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status, headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    static func text(
        _ text: String, type: String = "text/plain; charset=utf-8",
        status: HTTPResponse.Status = .ok
    ) -> Response {
        Response(
            status: status, headers: [.contentType: type],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}
