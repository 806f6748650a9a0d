import Crypto
import Foundation
import HexadecimalDigits
import PercentEncoding
import TestSupport
import Testing

@testable import ObjectStorage

/// The published examples of Signature Version 4, and botocore's results for what they leave out.
@Suite("Signing")
struct SigningTests {
    /// "Examples: Signature Calculations" in "Signature Calculations for the Authorization Header:
    /// Transferring Payload in a Single Chunk", S3 API reference.
    static let examples: [(CanonicalRequest, signature: String)] = [
        (
            request("GET", "/test.txt", headers: ["range": "bytes=0-9"]),
            "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"
        ),
        (
            request(
                "PUT", "/" + "test$file.text".percentEncoded(),
                headers: [
                    "date": "Fri, 24 May 2013 00:00:00 GMT",
                    "x-amz-storage-class": "REDUCED_REDUNDANCY",
                ],
                body: "Welcome to Amazon S3."),
            "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"
        ),
        (
            request("GET", "/", query: [QueryItem(name: "lifecycle")]),
            "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"
        ),
        (
            request(
                "GET", "/",
                query: [.init(name: "prefix", value: "J"), .init(name: "max-keys", value: "2")]),
            "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"
        ),
    ]

    private static func request(
        _ method: String, _ path: String, query: [QueryItem] = [], headers: [String: String] = [:],
        body: String = ""
    ) -> CanonicalRequest {
        CanonicalRequest(
            method: method, path: path, query: query,
            headers: headers.merging(["host": "examplebucket.s3.amazonaws.com"]) { $1 },
            payloadDigest: RequestBody(Array(body.utf8)).digest)
    }

    @Test("the examples of AWS have their published signatures", arguments: examples)
    func published(request: CanonicalRequest, signature: String) throws {
        let signer = RequestSigner(
            credentials: Credentials(
                accessKeyID: "AKIAIOSFODNN7EXAMPLE",
                secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
            region: "us-east-1", date: try date("2013-05-24T00:00:00Z"))
        let headers = signer.signedHeaders(of: request)
        let authorization = try #require(headers["authorization"])
        #expect(authorization.hasSuffix("Signature=\(signature)"))
        #expect(
            authorization.hasPrefix(
                "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, SignedHeaders="
            ))
    }

    /// "Deriving a signing key", in "Examples of how to derive a signing key".
    @Test("a signing key has its published value")
    func key() throws {
        let signer = RequestSigner(
            credentials: Credentials(
                accessKeyID: "", secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"),
            region: "us-east-1", service: "iam", date: try date("2015-08-30T00:00:00Z"))
        let key = unsafe signer.signingKey.withUnsafeBytes { unsafe Array($0).hexadecimal }
        #expect(key == "c4afb1cc5771d871763a393e44b703571b55cc28424d1a5e86da6ed3c154a4b9")
    }

    @Test("a session token and encoded paths and parameters are signed as botocore signs them")
    func token() throws {
        let signer = RequestSigner(
            credentials: Credentials(
                accessKeyID: "AKIDEXAMPLE",
                secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
                sessionToken: "the/token+=="),
            region: "eu-west-1", date: try date("2026-11-23T12:34:56Z"))
        let path = "/bucket/" + "a b/é+&~.txt".percentEncoded(keepingSlashes: true)
        let headers = signer.signedHeaders(
            of: CanonicalRequest(
                method: "PUT", path: path,
                query: [
                    .init(name: "uploadId", value: "a/b+="), .init(name: "partNumber", value: "3"),
                ],
                headers: ["host": "127.0.0.1:8333"],
                payloadDigest: RequestBody(Array("hello".utf8)).digest))
        #expect(headers["x-amz-security-token"] == "the/token+==")
        #expect(headers["x-amz-date"] == "20261123T123456Z")
        #expect(
            headers["authorization"]
                == """
                AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20261123/eu-west-1/s3/aws4_request, \
                SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-amz-security-token, \
                Signature=8c27a93d65c607e2218bce3ed854c8cec0de8c64b37dc06cd85d1335cd971a7a
                """
        )
    }

    @Test("inner and outer spaces of a header do not change its signature")
    func spaces() {
        var request = Self.request("GET", "/", headers: ["a": "  x   y "])
        let first = request.text
        request.headers["a"] = "x y"
        #expect(request.text == first)
    }

    private func date(_ text: String) throws -> Date { try #require(Date(timestamp: text)) }
}

@Suite("Percent encoding")
struct PercentEncodingTests {
    @Test("parameters are sorted by their encoded names and values")
    func order() {
        let query: [QueryItem] = [
            .init(name: "b"), .init(name: "a", value: "2"), .init(name: "a", value: "1 /"),
            .init(name: "B", value: "x"),
        ]
        #expect(query.encoded == "B=x&a=1%20%2F&a=2&b=")
    }
}
