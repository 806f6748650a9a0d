import Foundation

/// The cost of one part of the work.
struct PartFigure: Encodable {
    let part: String
    /// The unit of counting: `row`, `name`, `inflated byte`.
    let item: String
    let items: Int
    /// The CPU time of the process for one item.
    let ns: Double
}

/// Prints a value as a line of JSON.
func report(_ figure: some Encodable) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    print(String(decoding: try encoder.encode(figure), as: UTF8.self))
}

/// Prints the cost of one item of a part, given the total cost; prints nothing if there are no
/// items.
func report(_ part: String, per item: String, _ items: Int, _ nanoseconds: Double) throws {
    guard items > 0 else { return }
    try report(PartFigure(part: part, item: item, items: items, ns: nanoseconds / Double(items)))
}

/// Does some work and prints the cost of one of its items.
///
/// - Parameter work: Returns the number of items it processed.
func reportPart(_ part: String, per item: String, _ work: () throws -> Int) throws {
    let (nanoseconds, items) = try processorNanoseconds(work)
    try report(part, per: item, items, nanoseconds)
}
