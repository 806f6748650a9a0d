// The format of a symbol index, version 2.
//
// One file describes the code of one image: the functions, inlined calls, files, lines and columns
// of each byte. It is designed to be mapped into memory: written once, never changed, and derived
// from a debug file, so that it can always be rebuilt.
//
// All numbers are little-endian. LEB128 numbers are unsigned (DWARF 5, 7.6); "zigzag" folds a
// signed number n into (n << 1) ^ (n >> 63). Code offsets count from the image's base.
//
// Header, 512 bytes:
//
//       0   8  magic: "SYMIDX" 0a 1a
//       8   2  format version, 2
//      10   2  builder revision: raised whenever the same input results in other bytes
//      12   4  flags, see IndexFlags
//      16   8  length of the file in bytes
//      24   4  CRC-32C of the header, computed with this field 0
//      28   1  kind of identity: 1 LC_UUID, 2 GNU build ID
//      29   1  length of the identity, 1 to 32
//      30   1  address scale s: 2 if every start is a multiple of 4, else 0
//      31   1  bucket shift b
//      32  32  identity, padded with zeros
//      64   4  CPU: the Mach-O cputype, or 80000000 + e_machine
//      68   4  CPU subtype, 0 in ELF
//      72   8  image base: the link address of offset 0
//      80   4  Mach-O platform, 0 if unknown
//      84   4  reserved, 0
//      88  32  SHA-256 of the debug file that it was built from; zeros: not from a stored one
//     120  28  seven u32 counts: entries, blocks, buckets, scopes, names, files, wide columns
//     148   6  scope records: bits of parent, name, file, line, column; bytes of a record
//     160 192  section table: twelve times offset u64, length u64
//     352   4  number of loaded segments of an ELF file; 0 if there are more than 6, if the file
//              lacks the code, and for Mach-O
//     356   4  reserved, 0
//     360 144  segments: six times file offset u64, link address u64, size in the file u64
//     504   8  size of the text: from the base to the end of the last segment with code, or 0 if it
//              is unknown
//
// Sections are in the order of the table, each at a multiple of 64, with zeros between them.
//
//  0 buckets        u32 for each 2^b bytes of code: the number of the first block that starts at or
//                   after the bucket's start, and one more at the end. The last bucket is that of
//                   the last entry. b is at least 10, and the smallest for which the buckets are
//                   at most twice the blocks plus 16.
//  1 block starts   u32 for each block: the offset at which its first entry starts; u64 with the
//                   flag wideStarts.
//  2 block offsets  u32 for each block: its offset in section 3, and one more at the end.
//  3 blocks         entries, 32 per block, fewer in the last one.
//  4 scopes         bit-packed records, then 16 zero bytes, so that one may be loaded as 16 bytes.
//  5 name groups    u32 for each 8 names: the offset of the group in section 6.
//  6 name bytes     front-coded names.
//  7 files          two u32 for each file: the offsets of folder and last component in section 8.
//  8 file strings   zero-terminated texts, each once.
//  9 wide columns   pairs of u32, entry number and column, ascending, for columns above 254.
// 10 notes          JSON, see IndexNotes; no lookup reads it.
// 11 checksums      u32 for each 1,024 bytes from the end of the header to the start of this
//                   section (the last chunk may be shorter): their CRC-32C. A reader verifies a
//                   chunk before it first uses a byte of it, so a lookup verifies only what it
//                   reads.
//
// Version 1 had a checksum per section, which was too slow to verify in lookups.
//
// An entry means: from its start to the start of the next entry, the innermost scope is S, at file
// F, line L and column C; or: there is no code here (a gap). The last entry is a gap. A block is
//
//   1. a byte for each entry: 0 no column, 1 to 254 the column, 255 see section 9;
//   2. three LEB128: scope, file + 1 (0: none) and line of its first entry that is not a gap, or
//      three zeros;
//   3. for each entry: LEB128 of the distance from the previous entry, >> s (not for the first); a
//      control byte; then what that byte announces. ff is a gap. Else bit 0: the file changes, bit
//      1: the scope changes, bits 2 to 7: zigzag of the line's change, 0 to 61, or 62 if it follows
//      as LEB128. In this order follow: line change (zigzag), scope change (zigzag), file + 1.
//      Changes are relative to the previous entry that is not a gap, at first to the numbers of 2.
//
// Columns come first so that a column is found by its position, without decoding, in memory that
// the block touches anyway.
//
// A scope is a function or a call inlined into one. The scopes of one piece of code are
// consecutive, the function first, each call after the scope that it is inlined into. A record,
// lowest bits first: distance back to that scope (0: a function), name, then for a call its file +
// 1 (0: none), line and column as bits of three fields; for a function those three fields together
// hold its start >> s. Columns above 65,535 are 0 here. A function with several pieces of code has
// scopes for each piece.
//
// Names are linkage names, without Mach-O's leading underscore, distinct, in ascending byte order.
// Functions without a name have the empty name. The first name of a group of 8 is LEB128 length and
// bytes; each other one is LEB128 of the length shared with the previous name, LEB128 of the length
// of the rest, and the rest.
//
// A lookup of offset x: bucket k = x >> b; unless k + 1 is less than the number of buckets, there
// is no code. The block is the last one of buckets[k] ..< buckets[k + 1] that starts at or before
// x, or the one before those. Decode it until an entry starts after x. Frame 0 has the entry's
// file, line and column; each further frame has those of the call just left: until a function is
// reached, scope −= distance.

/// The constants of the format.
enum IndexLayout {
    static let magic: [UInt8] = [0x53, 0x59, 0x4d, 0x49, 0x44, 0x58, 0x0a, 0x1a]
    static let formatVersion: UInt16 = 2
    static let headerSize = 512
    static let sectionAlignment: UInt64 = 64
    /// A checksum covers `1 << chunkShift` bytes.
    static let chunkShift = 10
    static let entriesPerBlock = 32
    static let namesPerGroup = 8
    static let smallestBucketShift = 10
    static let gapControl: UInt8 = 0xff
    /// The line change in a control byte that means that it follows as LEB128.
    static let lineChangeFollows: UInt64 = 62
    static let wideColumn: UInt8 = 255
    static let scopePadding = 16
    static let scopeBitsLimit = 128

    /// The offsets of the header's fields.
    enum Field {
        static let magic = 0
        static let formatVersion = 8
        static let builderRevision = 10
        static let flags = 12
        static let length = 16
        static let checksum = 24
        static let identityKind = 28
        static let identityLength = 29
        static let scale = 30
        static let bucketShift = 31
        static let identity = 32
        static let cpuType = 64
        static let cpuSubtype = 68
        static let base = 72
        static let platform = 80
        static let digest = 88
        static let counts = 120
        static let scopeBits = 148
        static let sections = 160
        static let sectionSize = 16
        static let segmentCount = 352
        static let segments = 360
        static let segmentSize = 24
        static let textSize = 504
    }
}

/// The sections of an index, in the order of the file.
public enum IndexSection: Int, CaseIterable, Sendable {
    case buckets, blockStarts, blockOffsets, blocks, scopes, nameGroups, nameBytes, files
    case fileStrings, wideColumns, notes, checksums
}

extension IndexSection: CustomStringConvertible {
    public var description: String {
        switch self {
        case .buckets: "buckets"
        case .blockStarts: "block starts"
        case .blockOffsets: "block offsets"
        case .blocks: "blocks"
        case .scopes: "scopes"
        case .nameGroups: "name groups"
        case .nameBytes: "name bytes"
        case .files: "files"
        case .fileStrings: "file strings"
        case .wideColumns: "wide columns"
        case .notes: "notes"
        case .checksums: "checksums"
        }
    }
}

/// The kinds of information in an index.
public struct IndexFlags: OptionSet, Hashable, Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Some code has a line number.
    public static let lines = Self(rawValue: 1)
    /// Some call was inlined.
    public static let inlines = Self(rawValue: 2)
    /// Some line has a column.
    public static let columns = Self(rawValue: 4)
    /// Block starts have 64 bits, because some code is 4 GiB or more after the base.
    public static let wideStarts = Self(rawValue: 8)
    /// The file had no debug information, so functions are from the symbol table.
    public static let symbolTableOnly = Self(rawValue: 16)
    /// A part of the debug information could not be read.
    public static let unitsFailed = Self(rawValue: 32)
    /// The image is an Apple system image.
    public static let systemImage = Self(rawValue: 64)
    /// The file had all symbols of its image, for which there is no debug information.
    public static let completeSymbols = Self(rawValue: 128)
}

/// The limits on an index, and on the work of building one.
public enum IndexLimits {
    /// The maximum length of a function name, in bytes; longer ones are truncated.
    public static let nameBytes = 1 << 16
    /// The maximum length of the folder, and of the last component, of a source path, in bytes;
    /// longer ones are truncated.
    public static let pathBytes = 1 << 12
    /// The maximum depth of inlined calls. A function with deeper ones is stored without them.
    public static let inlineDepth = 512
    /// The maximum column of a call. Compilers do not write greater ones.
    public static let callColumn: UInt32 = 65_535
    /// The maximum number of entries.
    public static let entries = 1 << 30
    /// The maximum number of functions and inlined calls. Each piece of a function has copies of
    /// its calls, so a small file can cause very many.
    public static let scopes = 1 << 25
    /// The maximum total size of distinct names, and of distinct folders and components, in bytes.
    public static let textBytes = 1 << 30
    /// The maximum number of entries that a search for the nearest line visits on each side.
    public static let nearestLineEntries = 1 << 12
    /// The maximum number of functions and inlined calls that a search visits on each side; an entry
    /// in deeply inlined code has hundreds.
    static let searchedScopes = 1 << 14
}
