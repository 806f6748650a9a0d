import CallStacks
import Testing

@Suite("Debug IDs")
struct DebugIDTests {
    @Test("a UUID keeps its bytes, and a build ID is truncated and written as a GUID")
    func spellings() throws {
        let uuid = try #require(ImageID("67E9247C-814E-392B-A027-DBDE6748FCBF"))
        let mac = DebugID(uuid, isBuildID: false)
        #expect(mac.breakpad == "67E9247C814E392BA027DBDE6748FCBF0")
        #expect(mac.hyphenated == "67e9247c-814e-392b-a027-dbde6748fcbf")
        let build = try #require(ImageID("1326c62d86757ec9ee08062efb30baa5d36dc121"))
        let linux = DebugID(build, isBuildID: true)
        #expect(linux.breakpad == "2DC626137586C97EEE08062EFB30BAA50")
        #expect(linux.hyphenated == "2dc62613-7586-c97e-ee08-062efb30baa5")
    }

    @Test("every spelling is read, with its age")
    func reading() {
        for text in [
            "67E9247C814E392BA027DBDE6748FCBF", "67e9247c814e392ba027dbde6748fcbf0",
            "67e9247c-814e-392b-a027-dbde6748fcbf",
        ] {
            #expect(DebugID(text)?.breakpad == "67E9247C814E392BA027DBDE6748FCBF0")
        }
        #expect(DebugID("67e9247c-814e-392b-a027-dbde6748fcbf-1f")?.age == 31)
        #expect(
            DebugID("67e9247c-814e-392b-a027-dbde6748fcbf-1f")?.hyphenated
                == "67e9247c-814e-392b-a027-dbde6748fcbf-1f")
        for text in [
            "", "67E9247C", "67E9247C814E392BA027DBDE6748FCBG0",
            "67E9247C814E392BA027DBDE6748FCBF123456789",
            "00000000000000000000000000000000",
        ] {
            #expect(DebugID(text) == nil, "\(text)")
        }
    }

    @Test("a debug ID matches images with its UUID or build ID, of any length")
    func matches() throws {
        for text in [
            "67E9247C-814E-392B-A027-DBDE6748FCBF", "1326c62d86757ec9ee08062efb30baa5d36dc121",
            "1326c62d86757ec9", "1326c62d8675",
        ] {
            let image = try #require(ImageID(text))
            for isBuildID in [true, false] {
                let id = DebugID(image, isBuildID: isBuildID)
                #expect(id.matches(image))
                #expect(id.imagePrefixes.contains { image.bytes.starts(with: $0) })
            }
        }
        let other = try #require(ImageID("ff26c62d86757ec9ee08062efb30baa5d36dc121"))
        #expect(DebugID("2DC626137586C97EEE08062EFB30BAA50")?.matches(other) == false)
    }
}
