/// Why a measurement failed, as a sentence.
struct MeasureError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
