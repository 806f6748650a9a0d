import Problems
import SwiftProtobuf

extension SwiftProtobuf.Enum {
    /// Checks that the number fits in 32 bits, as every enumeration of protobuf does.
    ///
    /// From JSON the library reads 64 bits, reserves space for 32 bits when it encodes the message,
    /// and then writes all 64, past the end of the buffer.
    ///
    /// - Parameter path: The path of the field: `resourceSpans[0].scopeSpans[2].spans[7].kind`.
    func checkWidth(_ path: @autoclosure () -> String) throws(OTLPError) {
        guard Int32(exactly: rawValue) == nil else { return }
        throw OTLPError(
            .enumeration,
            Problem(
                path(), detail: "\(rawValue) does not fit in 32 bits",
                suggestion: "send a number of the enumeration"))
    }
}
