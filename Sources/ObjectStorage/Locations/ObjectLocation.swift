import Foundation
import PercentEncoding

/// A folder of a bucket, and the server that has the bucket.
public struct ObjectLocation: Hashable, Sendable {
    public let bucket: String
    /// The start of every key, empty or ending in a slash.
    public let prefix: String
    /// The region that requests are signed for.
    public let region: String
    /// Whether the bucket is the first part of the path, rather than of the host name.
    public let isPathStyle: Bool
    let endpoint: StorageEndpoint

    /// - Parameters:
    ///   - url: `s3://BUCKET` or `s3://BUCKET/PREFIX`.
    ///   - endpoint: The URL of a server other than AWS.
    ///   - region: By default `AWS_REGION`, `AWS_DEFAULT_REGION` or `us-east-1`.
    ///   - isPathStyle: By default `true` for servers other than AWS, and for a bucket with a dot
    ///     in its name, which no certificate of AWS covers.
    ///   - environment: The environment variables, for the default region.
    /// - Throws: An error of the reason `invalidSetting` if a part is malformed.
    public init(
        url: String, endpoint: String? = nil, region: String? = nil, isPathStyle: Bool? = nil,
        environment: [String: String] = [:]
    ) throws(ObjectStorageError) {
        let (bucket, prefix) = try Self.parts(of: url)
        let region = try Self.region(
            region, environment: environment, isOfAWS: endpoint == nil)
        self.bucket = bucket
        self.prefix = prefix
        self.region = region
        self.isPathStyle = isPathStyle ?? (endpoint != nil || bucket.contains("."))
        if let endpoint {
            self.endpoint = try StorageEndpoint(url: endpoint)
        } else {
            self.endpoint = StorageEndpoint(host: "s3.\(region).\(Self.domain(of: region))")
        }
    }

    /// The location as an `s3` URL, for errors.
    var url: String { "s3://\(bucket)/\(prefix)" }

    /// The value of the header `Host`.
    var authority: String { isPathStyle ? endpoint.authority : "\(bucket).\(endpoint.authority)" }

    /// Returns the encoded path of an object, or of the bucket.
    func path(of key: ObjectKey?) -> String {
        let object = key.map { (prefix + $0.rawValue).percentEncoded(keepingSlashes: true) } ?? ""
        return isPathStyle ? "/\(bucket)/\(object)" : "/\(object)"
    }

    private static func parts(
        of url: String
    ) throws(ObjectStorageError) -> (bucket: String, prefix: String) {
        let scheme = "s3://"
        let rest = url.dropFirst(scheme.count)
        let bucket = rest.prefix { $0 != "/" }
        let prefix = rest.dropFirst(bucket.count + 1)
        guard url.hasPrefix(scheme), isBucketName(bucket) else {
            throw .invalid(
                "blobs.url", detail: "not the location of a bucket",
                suggestion: "use s3://BUCKET/PREFIX")
        }
        if prefix.isEmpty { return (String(bucket), "") }
        let folder = prefix.hasSuffix("/") ? prefix.dropLast() : prefix
        guard ObjectKey(String(folder)) != nil, folder.utf8.count <= prefixLimit else {
            throw .invalid(
                "blobs.url", detail: "invalid prefix",
                suggestion: "use letters, digits and single slashes")
        }
        return (String(bucket), "\(folder)/")
    }

    /// The maximum length of the prefix in bytes. S3 allows 1,024 bytes for prefix and key
    /// together.
    static let prefixLimit = 1_023 - ObjectKey.bytesLimit

    /// See "General purpose bucket naming rules" in the user guide of Amazon S3.
    private static func isBucketName(_ name: Substring) -> Bool {
        let bytes = Array(name.utf8)
        guard (3...63).contains(bytes.count), !name.contains(".."),
            let first = bytes.first, let last = bytes.last
        else { return false }
        return bytes.allSatisfy { isLowerAlphanumeric($0) || $0 == 0x2d || $0 == 0x2e }
            && isLowerAlphanumeric(first) && isLowerAlphanumeric(last)
    }

    private static func isLowerAlphanumeric(_ byte: UInt8) -> Bool {
        (0x61...0x7a).contains(byte) || (0x30...0x39).contains(byte)
    }

    /// An empty variable counts as one that is not set.
    private static func region(
        _ setting: String?, environment: [String: String], isOfAWS: Bool
    ) throws(ObjectStorageError) -> String {
        let variable = ["AWS_REGION", "AWS_DEFAULT_REGION"].first {
            environment[$0]?.isEmpty == false
        }
        let region = setting ?? variable.flatMap { environment[$0] } ?? "us-east-1"
        guard (1...64).contains(region.utf8.count),
            region.utf8.allSatisfy({ isRegionByte($0, isOfAWS: isOfAWS) })
        else {
            throw .invalid(
                setting == nil ? variable ?? "blobs.region" : "blobs.region",
                detail: "not a region", suggestion: "use a name such as eu-west-1")
        }
        return region
    }

    /// The region of AWS is part of a host name. Other servers may have any name.
    private static func isRegionByte(_ byte: UInt8, isOfAWS: Bool) -> Bool {
        switch byte {
        case 0x2d: true
        case 0x2e, 0x5f, 0x41...0x5a: !isOfAWS
        default: isLowerAlphanumeric(byte)
        }
    }

    static func domain(of region: String) -> String {
        region.hasPrefix("cn-") ? "amazonaws.com.cn" : "amazonaws.com"
    }
}
