import CallStacks
import JSONText
import NIOHTTP1
import Problems

extension ServerConnection {
    /// The maximum number of images, and of offsets, in one request.
    static let lookupLimit = 1_000
    private static let lookupPath = "/v1/lookup"

    /// Returns the server's state of the given images. Only their identities are sent.
    func images(_ images: [ImageID]) async throws -> [ServerImage] {
        var found: [ServerImage] = []
        for start in stride(from: 0, to: images.count, by: Self.lookupLimit) {
            let asked = images[start..<min(start + Self.lookupLimit, images.count)]
            let response = try await lookUp(asked.map { ($0, []) }, findingNearestLine: false)
            found += response.elements.compactMap { ServerImage($0) }
        }
        return found
    }

    /// Returns the server's results for offsets of an image. Only these and the identity are sent.
    ///
    /// - Parameter findingNearestLine: Whether code without a line gets the nearest line of its
    ///   function.
    /// - Returns: The current state of the image on the server, and the results.
    func results(
        _ image: ServerImage, at offsets: [ImageOffset], findingNearestLine: Bool
    ) async throws -> (image: ServerImage, results: LookupResponseReader) {
        var (image, reading) = (image, LookupResponseReader(of: image))
        for start in stride(from: 0, to: offsets.count, by: Self.lookupLimit) {
            let asked = offsets[start..<min(start + Self.lookupLimit, offsets.count)]
            let response = try await lookUp(
                [(image.image, asked)], findingNearestLine: findingNearestLine)
            for json in response.elements {
                guard let current = ServerImage(json), current.image == image.image
                else { continue }
                image = current
                if let list = json["answers"] {
                    for result in list.elements { reading.add(result, of: image.image) }
                }
            }
        }
        return (image, reading)
    }

    private func lookUp(
        _ question: [(image: ImageID, offsets: ArraySlice<ImageOffset>)], findingNearestLine: Bool
    ) async throws -> JSONValue {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("images")
        writer.beginArray()
        for (image, offsets) in question { writer.question(image, offsets: offsets) }
        writer.endArray()
        writer.key("nearest")
        writer.bool(findingNearestLine)
        writer.endObject()
        let response = try await lookedUp(
            ServerRequest(method: .POST, path: Self.lookupPath, body: .json(writer.bytes)))
        guard let images = JSONDocument(response).root?["images"], images.isWhole
        else { throw notOfSymbolist(Self.lookupPath) }
        return images
    }

    /// Sends a lookup request, for which older services have no endpoint.
    private func lookedUp(_ request: ServerRequest) async throws -> [UInt8] {
        do {
            return try await send(request)
        } catch let error as ServerRequestError where error.kind == .failed(status: 404) {
            throw ServerRequestError(
                error.kind,
                problem: Problem(
                    address.url, detail: "does not support \(request.path)",
                    suggestion: "check --server, or upgrade the service"))
        }
    }
}

extension JSONWriter {
    fileprivate mutating func question(_ image: ImageID, offsets: ArraySlice<ImageOffset>) {
        beginObject()
        key("uuid")
        string(image.description)
        key("offsets")
        beginArray()
        for offset in offsets { unsigned(offset.rawValue) }
        endArray()
        endObject()
    }
}
