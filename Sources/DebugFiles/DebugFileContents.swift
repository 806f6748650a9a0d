public import ByteReading
public import CallStacks
import ELF
import MachO

/// The contents of a file: a debug file for each readable slice, and an error for each unreadable
/// one.
public struct DebugFileContents: Sendable {
    /// A damaged slice. It does not affect the others.
    public struct Failure: Sendable {
        /// The architecture in the table of the fat file, or `nil` if the file has no such table.
        public let architecture: Architecture?
        public let error: DebugFileError
    }

    /// The caller's name for the file.
    public let name: String
    public private(set) var files: [DebugFile] = []
    public private(set) var failures: [Failure] = []

    init(of file: FileBytes, name: String) throws(DebugFileError) {
        self.name = name
        if let fat = FatFile(file) {
            for slice in fat.slices { add(slice) }
        } else {
            files = [try Self.file(of: file, name: name)]
        }
    }

    private mutating func add(_ slice: FatFile.Slice) {
        do throws(DebugFileError) {
            let bytes: FileBytes
            do { bytes = try slice.bytes.get() } catch {
                throw DebugFileError(.reading(error), name: name)
            }
            files.append(try Self.file(of: bytes, name: name))
        } catch {
            failures.append(Failure(architecture: slice.architecture, error: error))
        }
    }

    private static func file(of bytes: FileBytes, name: String) throws(DebugFileError) -> DebugFile
    {
        let container: (any ImageContainer)?
        do throws(ReadingError) {
            container = try Self.container(of: bytes)
        } catch { throw DebugFileError(.reading(error), name: name) }
        guard let container else {
            let reason: DebugFileError.Reason =
                isArchive(bytes) ? .staticLibrary : .unrecognised
            throw DebugFileError(reason, name: name)
        }
        return try DebugFile(container, bytes: bytes, name: name)
    }

    private static func container(
        of bytes: FileBytes
    ) throws(ReadingError) -> (any ImageContainer)? {
        if MachOHeader.begins(bytes) { return try MachOImage(bytes) }
        if ELFHeader.begins(bytes) { return try ELFImage(bytes) }
        return nil
    }

    /// Whether the bytes start like an `ar` archive: `!<arch>` or, for a thin archive, `!<thin>`.
    private static func isArchive(_ bytes: FileBytes) -> Bool {
        let magic = try? bytes.number(UInt64.self, at: 0, bigEndian: true)
        return [0x213c_6172_6368_3e0a, 0x213c_7468_696e_3e0a].contains(magic)
    }

    /// Returns the slice with the given ``CallStacks/Architecture/name``.
    public func file(architecture wanted: String) throws(DebugFileError) -> DebugFile {
        if let file = files.first(where: { $0.architecture.name == wanted }) { return file }
        let present = files.map(\.architecture.name)
        throw DebugFileError(.missingSlice(wanted: wanted, present: present), name: name)
    }
}

extension DebugFile {
    /// Returns the slices of a file: one per architecture of a fat file, or else a single one.
    ///
    /// Reads headers, load commands and notes only.
    ///
    /// - Parameter name: The file's name in errors.
    /// - Throws: `DebugFileError` if the file is not a Mach-O or ELF file, or its only slice is
    ///   damaged.
    public static func slices(
        of file: FileBytes, name: String
    ) throws(DebugFileError) -> DebugFileContents {
        try DebugFileContents(of: file, name: name)
    }

    /// Returns the identities of a file's slices, at the cost of ``slices(of:name:)``.
    public static func identities(
        of file: FileBytes, name: String
    ) throws(DebugFileError) -> [ImageID] {
        try slices(of: file, name: name).files.compactMap(\.id)
    }
}
