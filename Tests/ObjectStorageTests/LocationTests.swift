import Problems
import Testing

@testable import ObjectStorage

@Suite("Object locations")
struct LocationTests {
    @Test("a bucket of AWS has a host of its own")
    func virtualHosted() throws {
        let location = try ObjectLocation(url: "s3://my-bucket/some/folder", region: "eu-west-1")
        let key = try ObjectKey.test("a b")
        #expect(location.prefix == "some/folder/")
        #expect(location.authority == "my-bucket.s3.eu-west-1.amazonaws.com")
        #expect(location.path(of: key) == "/some/folder/a%20b")
        #expect(location.path(of: nil) == "/")
    }

    @Test("a bucket of another server is part of the path")
    func pathStyle() throws {
        let location = try ObjectLocation(
            url: "s3://my-bucket", endpoint: "http://storage.local:8333/")
        #expect(location.authority == "storage.local:8333")
        #expect(location.path(of: try ObjectKey.test("x/y")) == "/my-bucket/x/y")
        #expect(location.path(of: nil) == "/my-bucket/")
    }

    @Test("the style can be chosen, and a name with dots needs the path")
    func style() throws {
        let chosen = try ObjectLocation(
            url: "s3://my-bucket", endpoint: "https://storage.local", isPathStyle: false)
        #expect(chosen.authority == "my-bucket.storage.local")
        #expect(try ObjectLocation(url: "s3://my.bucket").isPathStyle)
    }

    @Test("the region comes from the setting, then from the environment")
    func region() throws {
        let environment = ["AWS_REGION": "eu-north-1", "AWS_DEFAULT_REGION": "us-west-2"]
        func region(_ setting: String?, _ environment: [String: String]) throws -> String {
            try ObjectLocation(url: "s3://abc", region: setting, environment: environment).region
        }
        #expect(try region("eu-west-1", environment) == "eu-west-1")
        #expect(try region(nil, environment) == "eu-north-1")
        #expect(try region(nil, ["AWS_DEFAULT_REGION": "us-west-2"]) == "us-west-2")
        #expect(try region(nil, [:]) == "us-east-1")
        let empty = ["AWS_REGION": "", "AWS_DEFAULT_REGION": "us-west-2"]
        #expect(try region(nil, empty) == "us-west-2")
        #expect(try region(nil, ["AWS_REGION": ""]) == "us-east-1")
        #expect(
            try ObjectLocation(url: "s3://abc", region: "cn-north-1").authority
                == "abc.s3.cn-north-1.amazonaws.com.cn")
    }

    @Test("a region is part of a host name of AWS, and any name for another server")
    func regionNames() throws {
        let other = try ObjectLocation(
            url: "s3://abc", endpoint: "https://storage.local", region: "Garage_1.local")
        #expect(other.region == "Garage_1.local")
        for (setting, subject) in [("Garage_1", "blobs.region"), (nil, "AWS_REGION")] {
            let error = #expect(throws: ObjectStorageError.self) {
                try ObjectLocation(
                    url: "s3://abc", region: setting, environment: ["AWS_REGION": "a/b"])
            }
            #expect(
                error?.description
                    == "\(subject): not a region: use a name such as eu-west-1")
        }
    }

    @Test(
        "the default port of a scheme is not part of the host",
        arguments: [
            ("https://h:443", "h"), ("http://h:80", "h"), ("http://h:443", "h:443"),
            ("https://h", "h"), ("http://[::1]:8333", "[::1]:8333"),
        ])
    func ports(endpoint: String, authority: String) throws {
        #expect(try ObjectLocation(url: "s3://abc", endpoint: endpoint).authority == authority)
    }

    @Test(
        "a malformed location is refused",
        arguments: [
            "", "s3://", "s3:///x", "http://bucket", "s3://AB", "s3://ab", "s3://a..b", "s3://-abc",
            "s3://abc-", "s3://abc/x//y", "s3://abc/../y", "s3://abc//", "s3://abc/\u{1}",
            "s3://user@abc", "s3://abc/" + String(repeating: "x", count: 600),
            "s3://" + String(repeating: "x", count: 64),
        ])
    func malformed(url: String) {
        let error = #expect(throws: ObjectStorageError.self) { try ObjectLocation(url: url) }
        #expect(error?.reason == .invalidSetting)
    }

    @Test(
        "a malformed endpoint is refused without repeating it",
        arguments: [
            "", "h", "ftp://h", "https://", "https://user:secret@h", "https://h/path",
            "https://h?secret",
            "https://h#secret", "https://h:0", "https://h:99999",
        ])
    func endpoint(url: String) {
        let error = #expect(throws: ObjectStorageError.self) {
            try ObjectLocation(url: "s3://abc", endpoint: url)
        }
        #expect(
            error?.description
                == "blobs.endpoint: not the URL of a server: use https://HOST:PORT")
    }

    @Test(
        "a key that servers or proxies rewrite is not valid",
        arguments: [
            "", "/", "a/", "/a", "a//b", ".", "..", "a/../b", "a/.", "a\nb", "a\\b", "a\u{7f}",
            String(repeating: "x", count: 513),
        ])
    func keys(text: String) {
        #expect(ObjectKey(text) == nil)
    }

    @Test("a key of the largest size is valid")
    func largestKey() {
        #expect(ObjectKey(String(repeating: "x", count: 512)) != nil)
    }
}
