import Foundation
import Problems
import TestSupport
import Testing

@testable import ServiceClient

@Suite("Addresses and builds", .ownThreads)
struct AddressTests {
    @Test(
        "an invalid URL is refused before anything is sent",
        arguments: ["", "localhost:4318", "ftp://x", "http://", "http://x?y=1", "http://x#y"])
    func addresses(url: String) {
        let error = #expect(throws: ServerRequestError.self) {
            try ServerAddress(url: url, token: nil)
        }
        #expect(error?.kind == .unusable)
    }

    @Test("a URL with user name and password is refused, without repeating them")
    func secrets() {
        let error = #expect(throws: ServerRequestError.self) {
            try ServerAddress(url: "https://me:secret@example.com/x", token: nil)
        }
        #expect(error?.description.contains("secret") == false)
    }

    @Test("a token loses its trailing line break, and one with inner white space is refused")
    func tokens() throws {
        #expect(try ServerAddress(url: "http://x", token: " abc\n").token == "abc")
        #expect(try ServerAddress(url: "http://x", token: "\n").token == nil)
        for token in ["a b", "a\r\nX-Evil: 1", "å"] {
            let error = #expect(throws: ServerRequestError.self) {
                try ServerAddress(url: "http://x", token: token)
            }
            #expect(error?.description.contains(token) == false)
        }
    }

    @Test("query values keep every character")
    func queries() throws {
        let address = try ServerAddress(url: "https://example.com/symbols//", token: nil)
        #expect(
            address.url(
                of: "/v1/symbols", query: [(name: "a", value: "1+1 & ø/?"), (name: "b", value: "")])
                == "https://example.com/symbols/v1/symbols?a=1%2B1%20%26%20%C3%B8%2F%3F&b=")
    }

    @Test("build information is read from an Xcode archive, also for paths inside it")
    func xcodeArchive() throws {
        let folder = try TestFolder()
        let list: [String: Any] = [
            "ApplicationProperties": [
                "CFBundleIdentifier": "com.example.orchard",
                "CFBundleShortVersionString": "1.4.0", "CFBundleVersion": "2107",
            ]
        ]
        let data = try PropertyListSerialization.data(
            fromPropertyList: list, format: .binary, options: 0)
        try folder.write(Array(data), to: "My App.xcarchive/Info.plist")
        try folder.write(library(1), to: "My App.xcarchive/dSYMs/X.dSYM/X")
        for name in ["My App.xcarchive", "My App.xcarchive/", "My App.xcarchive/dSYMs"] {
            let archive = XcodeArchive(around: ["/nosuch", folder.url.path + "/" + name])
            #expect(archive.app == "com.example.orchard")
            #expect(archive.version == "1.4.0")
            #expect(archive.build == "2107")
        }
        #expect(XcodeArchive(around: [folder.url.path]).app == nil)
        for damage in [[], Array("<plist".utf8), [UInt8](repeating: 0x62, count: 2_000_000)] {
            try folder.write(damage, to: "My App.xcarchive/Info.plist")
            #expect(XcodeArchive(around: [folder.path("My App.xcarchive")]).app == nil)
        }
    }
}
