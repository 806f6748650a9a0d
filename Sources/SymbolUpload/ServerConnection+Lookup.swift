import CallStacks
import JSONText
import NIOHTTP1

extension ServerConnection {
    /// How many images, and how many offsets, one question holds.
    static let lookupLimit = 1_000
    private static let lookupPath = "/v1/lookup"

    /// Which of these images the server has symbols of. Only their identities are sent.
    func images(_ images: [ImageID]) async throws -> [ServerImage] {
        var answers: [ServerImage] = []
        for start in stride(from: 0, to: images.count, by: Self.lookupLimit) {
            let asked = images[start..<min(start + Self.lookupLimit, images.count)]
            let answer = try await lookUp(asked.map { ($0, []) }, fillingGaps: false)
            answers += answer.elements.compactMap { ServerImage($0) }
        }
        return answers
    }

    /// What the server says of offsets of an image. Only those and its identity are sent.
    ///
    /// - Parameter fillingGaps: Whether code without a line gets the nearest one of its function.
    /// - Returns: What the server has of the image now, and its answers.
    func answers(
        _ image: ServerImage, at offsets: [ImageOffset], fillingGaps: Bool
    ) async throws -> (image: ServerImage, answers: AnswerReading) {
        var (image, reading) = (image, AnswerReading(of: image))
        for start in stride(from: 0, to: offsets.count, by: Self.lookupLimit) {
            let asked = offsets[start..<min(start + Self.lookupLimit, offsets.count)]
            let answer = try await lookUp([(image.image, asked)], fillingGaps: fillingGaps)
            for json in answer.elements {
                guard let answered = ServerImage(json), answered.image == image.image
                else { continue }
                image = answered
                if let list = json["answers"] {
                    for answer in list.elements { reading.add(answer, of: image.image) }
                }
            }
        }
        return (image, reading)
    }

    private func lookUp(
        _ question: [(image: ImageID, offsets: ArraySlice<ImageOffset>)], fillingGaps: Bool
    ) async throws -> JSONValue {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("images")
        writer.beginArray()
        for (image, offsets) in question { writer.question(image, offsets) }
        writer.endArray()
        writer.key("nearest")
        writer.bool(fillingGaps)
        writer.endObject()
        let answer = try await lookedUp(
            ServerRequest(method: .POST, path: Self.lookupPath, body: .json(writer.bytes)))
        guard let images = JSONDocument(answer).root?["images"], images.isWhole
        else { throw notOfSymbolist(Self.lookupPath) }
        return images
    }

    /// Services before this path was there do not know it.
    private func lookedUp(_ request: ServerRequest) async throws -> [UInt8] {
        do {
            return try await send(request)
        } catch let error as ServerError where error.kind == .failed(status: 404) {
            throw ServerError(
                error.kind,
                "\(address): does not know \(request.path): it is a service of an older version, or "
                    + "none: check --server, or bring the service up to date")
        }
    }
}

extension JSONWriter {
    fileprivate mutating func question(_ image: ImageID, _ offsets: ArraySlice<ImageOffset>) {
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
