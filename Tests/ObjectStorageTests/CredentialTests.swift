import AsyncHTTPClient
import Foundation
import NIOCore
import Problems
import Synchronization
import TestSupport
import Testing

@testable import ObjectStorage

/// Every place that credentials come from, against local servers.
@Suite("Credentials", .ownThreads)
struct CredentialTests {
    private static let document = """
        {"Code": "Success", "AccessKeyId": "ASIA", "SecretAccessKey": "s3cret", "Token": "t0ken",
        "Expiration": "2030-01-02T03:04:05Z"}
        """
    private static let expected = Credentials(
        accessKeyID: "ASIA", secretAccessKey: "s3cret", sessionToken: "t0ken",
        expiration: Date(timestamp: "2030-01-02T03:04:05Z"))

    private func found(
        _ environment: [String: String], accessKeyID: String? = nil, secretFile: String? = nil,
        limit: Duration = .seconds(60), probeSeconds: Int = 60
    ) async throws -> Credentials? {
        let http = HTTPClient(eventLoopGroupProvider: .singleton)
        var client = CredentialClient(client: http, retry: .quick, limit: limit)
        client.probeSeconds = probeSeconds
        let chain = CredentialChain(
            CredentialSettings(
                accessKeyID: accessKeyID, secretFile: secretFile,
                environment: ["AWS_EC2_METADATA_DISABLED": "true"].merging(environment) { $1 }),
            region: "eu-west-1", client: client)
        do {
            let credentials = try await chain.credentials()
            try await http.shutdown()
            return credentials
        } catch {
            try await http.shutdown()
            throw error
        }
    }

    private static let environment = ["AWS_ACCESS_KEY_ID": "A", "AWS_SECRET_ACCESS_KEY": "B"]

    @Test("settings come before the environment, and the secret is read from its file")
    func settings() async throws {
        let folder = try TestFolder()
        let file = try folder.write(" \ns3cret\n", to: "secret")
        let credentials = try await found(Self.environment, accessKeyID: "ID", secretFile: file)
        #expect(credentials == Credentials(accessKeyID: "ID", secretAccessKey: "s3cret"))
    }

    @Test("an access key ID without a secret is an error")
    func incomplete() async throws {
        let error = await failure { try await found(Self.environment, accessKeyID: "ID") }
        #expect(error?.reason == .invalidSetting)
    }

    @Test("a secret file that is missing, empty or several lines is an error that does not show it")
    func secretFile() async throws {
        let folder = try TestFolder()
        for text in ["", "two\nlines", String(repeating: "x", count: 70_000)] {
            let file = try folder.write(text, to: "secret")
            let error = await failure { try await found([:], accessKeyID: "ID", secretFile: file) }
            #expect(error?.description == "\(file): not a secret: write the secret alone into it")
        }
        let missing = folder.path("missing")
        let error = await failure { try await found([:], accessKeyID: "ID", secretFile: missing) }
        #expect(error?.reason == .accessDenied)
    }

    @Test("the environment has a key, or one with a session token")
    func environment() async throws {
        #expect(
            try await found(Self.environment)
                == Credentials(accessKeyID: "A", secretAccessKey: "B"))
        let token = Self.environment.merging(["AWS_SESSION_TOKEN": "C"]) { $1 }
        #expect(try await found(token)?.sessionToken == "C")
        #expect(try await found(["AWS_ACCESS_KEY_ID": "A", "AWS_SECRET_ACCESS_KEY": ""]) == nil)
        #expect(try await found([:]) == nil)
    }

    @Test("a web identity becomes the credentials of its role")
    func webIdentity() async throws {
        let folder = try TestFolder()
        let file = try folder.write("ey.token\n", to: "token")
        let reply = """
            <AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
            <AssumeRoleWithWebIdentityResult><Credentials><AccessKeyId>ASIA</AccessKeyId>
            <SecretAccessKey>s3cret</SecretAccessKey><SessionToken>t0ken</SessionToken>
            <Expiration>2030-01-02T03:04:05Z</Expiration></Credentials>
            </AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>
            """
        try await FakeServer.run { _, number in
            number == 0 ? .error(500, "InternalError") : .xml(200, reply)
        } _: { server in
            let credentials = try await found([
                "AWS_WEB_IDENTITY_TOKEN_FILE": file, "AWS_ROLE_ARN": "arn:aws:iam::1:role/r",
                "AWS_ENDPOINT_URL_STS": server.url,
            ])
            #expect(credentials == Self.expected)
            let request = try #require(server.requests.last)
            #expect(request.method == "POST")
            #expect(
                String(decoding: request.body, as: UTF8.self) == """
                    Action=AssumeRoleWithWebIdentity&RoleArn=arn%3Aaws%3Aiam%3A%3A1%3Arole%2Fr\
                    &RoleSessionName=symbolist&Version=2011-06-15&WebIdentityToken=ey.token
                    """)
        }
    }

    @Test("a container's credentials are requested with the token of the platform")
    func container() async throws {
        let folder = try TestFolder()
        let file = try folder.write("platform-token", to: "token")
        try await FakeServer.run { _, _ in
            .xml(200, Self.document)
        } _: { server in
            let credentials = try await found([
                "AWS_CONTAINER_CREDENTIALS_FULL_URI": "\(server.url)/creds",
                "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE": file,
            ])
            #expect(credentials == Self.expected)
            #expect(server.requests.map(\.uri) == ["/creds"])
            #expect(server.requests.first?.header("Authorization") == "platform-token")
        }
    }

    @Test(
        "a token is sent only by HTTPS, to this machine or to the platforms' addresses",
        arguments: [
            ("https://example.com/x", true), ("http://127.0.0.1:80/x", true),
            ("http://127.1.2.3/", true),
            ("http://localhost/x", true), ("http://169.254.170.23/v1", true),
            ("http://example.com/x", false), ("http://127.0.0.1.example.com/x", false),
            ("http://10.0.0.1/", false), ("ftp://localhost/", false), ("", false),
        ])
    func trusted(url: String, isAllowed: Bool) {
        #expect(ContainerCredentials.isAllowed(url) == isAllowed)
    }

    @Test("an instance's credentials are requested with a session token of its metadata")
    func instance() async throws {
        try await FakeServer.run { request, _ in
            switch (request.method, request.uri) {
            case ("PUT", "/latest/api/token"): .xml(200, "imds-token")
            case ("GET", "/latest/meta-data/iam/security-credentials/"): .xml(200, "my-role\n")
            case ("GET", "/latest/meta-data/iam/security-credentials/my-role"):
                .xml(200, Self.document)
            default: .respond(404)
            }
        } _: { server in
            let credentials = try await found([
                "AWS_EC2_METADATA_DISABLED": "false",
                "AWS_EC2_METADATA_SERVICE_ENDPOINT": server.url + "/",
            ])
            #expect(credentials == Self.expected)
            let tokens = server.requests.map { $0.header("X-aws-ec2-metadata-token") }
            #expect(tokens == [nil, "imds-token", "imds-token"])
            let seconds = server.requests.first?.header("X-aws-ec2-metadata-token-ttl-seconds")
            #expect(seconds == "21600")
        }
    }

    @Test("a machine without instance metadata has no credentials")
    func noInstance() async throws {
        try await FakeServer.run { _, _ in
            .silence
        } _: { server in
            let credentials = try await found(
                [
                    "AWS_EC2_METADATA_DISABLED": "false",
                    "AWS_EC2_METADATA_SERVICE_ENDPOINT": server.url,
                ], probeSeconds: 0)
            #expect(credentials == nil)
        }
    }

    @Test(
        "a place that is set up and fails ends the search",
        arguments: [
            FakeServer.Reply.respond(403), .xml(200, "{}"), .xml(200, "{"), .endless(200),
            .xml(200, #"{"AccessKeyId": "", "SecretAccessKey": ""}"#), .hangUp,
            .xml(200, #"{"AccessKeyId": "a", "SecretAccessKey": "b", "Expiration": "soon"}"#),
        ])
    func failing(reply: FakeServer.Reply) async throws {
        try await FakeServer.run { _, _ in
            reply
        } _: { server in
            let error = await failure {
                try await found(["AWS_CONTAINER_CREDENTIALS_FULL_URI": server.url])
            }
            #expect(error != nil)
        }
    }

    @Test("an outage of the server of credentials is not reported as missing rights")
    func outage() async throws {
        for (status, reason) in [
            (503, ObjectStorageError.Reason.unavailable), (403, .accessDenied),
        ] {
            try await FakeServer.run { _, _ in
                .respond(status)
            } _: { server in
                let error = await failure {
                    try await found(["AWS_CONTAINER_CREDENTIALS_FULL_URI": server.url])
                }
                #expect(error?.reason == reason)
                #expect((error?.problem.suggestion == nil) == (status == 503))
            }
        }
    }

    @Test("an instance whose metadata fails is not taken for another machine")
    func failingInstance() async throws {
        try await FakeServer.run { _, _ in
            .respond(503)
        } _: { server in
            let error = await failure {
                try await found([
                    "AWS_EC2_METADATA_DISABLED": "false",
                    "AWS_EC2_METADATA_SERVICE_ENDPOINT": server.url,
                ])
            }
            #expect(error?.reason == .unavailable)
        }
    }

    @Test("no description of credentials contains a secret")
    func redaction() {
        var dumped = ""
        dump(Self.expected, to: &dumped)
        for text in [
            "\(Self.expected)", String(reflecting: Self.expected), dumped,
            "\([Self.expected])", "\(Optional(Self.expected) as Any)",
        ] {
            #expect(text.contains("ASIA"))
            #expect(!text.contains("s3cret") && !text.contains("t0ken"))
        }
    }
}
