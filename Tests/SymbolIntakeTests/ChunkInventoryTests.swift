import CallStacks
import TestSupport
import Testing

@testable import SymbolIntake

@Suite("Chunk lifetimes", .ownThreads)
struct ChunkInventoryTests {
    private static func key(_ number: Int, app: String? = nil) throws -> ChunkInventory.Key {
        let digits = String(number, radix: 16)
        let text = String(repeating: "0", count: 40 - digits.count) + digits
        return ChunkInventory.Key(
            sender: ChunkSender(app: app), checksum: try #require(SHA1Checksum(text)))
    }

    private let start = UnixTime(rawValue: 0)

    @Test("a chunk is kept for an hour after it was last sent or listed, and not longer")
    func lifetime() throws {
        var inventory = ChunkInventory()
        let key = try Self.key(1)
        inventory.add(key, byteCount: 10, at: start)
        let later = start.advanced(seconds: 3_000)
        inventory.touch(key, at: later)
        let end = later.advanced(seconds: ChunkInventory.lifetimeSeconds)
        let early = inventory.removeExpired(at: end)
        #expect(early == [])
        let late = inventory.removeExpired(at: UnixTime(rawValue: end.rawValue + 1))
        #expect(late == [key])
        #expect(inventory.byteCount == 0)
        let isStored = inventory.touch(key, at: end)
        #expect(!isStored)
    }

    @Test("chunks of a complete file go first, unless a client lists them again")
    func spent() throws {
        var inventory = ChunkInventory()
        let keys = try [Self.key(1), Self.key(2)]
        for key in keys { inventory.add(key, byteCount: 10, at: start) }
        inventory.pin(keys)
        inventory.unpin(keys, isSpent: true)
        inventory.touch(keys[0], at: start)
        let removed = inventory.removeSpent()
        #expect(removed == [keys[1]])
        #expect(inventory.byteCount == 10)
    }

    @Test("chunks of a file that is being assembled stay, however old they are")
    func pinned() throws {
        var inventory = ChunkInventory()
        let key = try Self.key(1)
        inventory.add(key, byteCount: 10, at: start)
        inventory.pin([key, key])
        inventory.unpin([key], isSpent: true)
        let expired = inventory.removeExpired(at: start.advanced(seconds: 1_000_000))
        let pinned = inventory.removeSpent()
        #expect(expired + pinned == [])
        inventory.unpin([key], isSpent: false)
        let removed = inventory.removeSpent()
        #expect(removed == [key])
    }

    @Test("chunks of one file are removed, except those that another file is being assembled from")
    func removed() throws {
        var inventory = ChunkInventory()
        let keys = try [Self.key(1), Self.key(2)]
        for key in keys { inventory.add(key, byteCount: 10, at: start) }
        inventory.pin([keys[0]])
        let removed = inventory.remove(keys)
        #expect(removed == [keys[1]])
        #expect(inventory.byteCount == 10)
        inventory.unpin([keys[0]], isSpent: true)
        let spent = inventory.removeSpent()
        #expect(spent == [keys[0]])
    }

    @Test("a chunk that is stored while a file is assembled from it is removed once it expires")
    func storedWhilePinned() throws {
        var inventory = ChunkInventory()
        let key = try Self.key(1)
        inventory.pin([key])
        inventory.add(key, byteCount: 10, at: start)
        let late = start.advanced(seconds: 1_000_000)
        let pinned = inventory.removeExpired(at: late)
        #expect(pinned == [])
        inventory.unpin([key], isSpent: false)
        let expired = inventory.removeExpired(at: late)
        #expect(expired == [key])
    }

    @Test("the same chunk of two senders is counted for each, and once for one sender")
    func senders() throws {
        var inventory = ChunkInventory()
        for app in ["a", "b", "a"] {
            inventory.add(try Self.key(1, app: app), byteCount: 10, at: start)
        }
        #expect(inventory.byteCount == 20)
        #expect(ChunkSender(app: "a") != ChunkSender(app: nil))
        #expect(ChunkSender(folderName: ChunkSender(app: "a").folderName) == ChunkSender(app: "a"))
        #expect(ChunkSender(folderName: "..") == nil)
    }
}
