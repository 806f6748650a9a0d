public import CallStacks
public import DebugFiles
public import Ingest
public import SymbolIntake

/// The identity of an image, of 16 equal bytes.
public func image(_ number: UInt8) -> ImageID {
    ImageID(bytes: [UInt8](repeating: number, count: 16))!
}

public func wanted(_ number: UInt8, isInApp: Bool = true) -> WantedImage {
    WantedImage(
        image: image(number), name: "Image\(number)", architecture: "arm64", isInApp: isInApp,
        frameCount: Int(number))
}

/// A diagnostic of an entry, with a name that follows from its address.
public func diagnostic(
    _ entry: Int64, _ position: Int = 0, wanting images: [WantedImage] = [],
    heldUntil: Int64? = nil, at seconds: Int64? = nil
) -> DiagnosticRecord {
    var row = DiagnosticRecord(
        uid: "\(entry)-\(position)", address: RecordAddress(entry: entry, position: position),
        arrival: .at(seconds ?? entry), kind: .crash, status: images.isEmpty ? .symbolicated : .raw,
        fingerprint: "f\(entry % 3)")
    row.app = "com.example.shop"
    row.version = "1.\(entry)"
    row.build = "\(entry)"
    row.culprit = "Cart.total(for:)"
    row.frameCount = 12
    row.symbolicatedFrameCount = 4
    row.wanted = images
    row.heldUntil = heldUntil.map(UnixTime.at)
    row.state = heldUntil == nil ? .sent : .held
    return row
}

public func debugFile(
    of image: ImageID, _ quality: DebugFileSummary.Quality = .full, kind: String = "dsym",
    owner: SymbolOwner = .everyone, blob: String = "a1", warnings: [String] = []
) -> StoredDebugFile {
    StoredDebugFile(
        owner: owner, image: image, architecture: "arm64", name: "Image", kind: kind,
        quality: quality, blob: blob, byteCount: 9, storedByteCount: 9, upload: .at(1),
        warnings: warnings)
}
