import Foundation

/// What one part of the work costs.
struct PartFigure: Encodable {
    let part: String
    /// What is counted: `row`, `name`, `inflated byte`.
    let item: String
    let items: Int
    /// Processor time of the process for one item.
    let ns: Double
}

/// Prints a figure as a line of JSON.
func report(_ figure: some Encodable) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    print(String(decoding: try encoder.encode(figure), as: UTF8.self))
}

/// Prints what one item of a part costs, given what all of them cost; nothing where there is none.
func report(_ part: String, per item: String, _ items: Int, _ nanoseconds: Double) throws {
    guard items > 0 else { return }
    try report(PartFigure(part: part, item: item, items: items, ns: nanoseconds / Double(items)))
}

/// Does some work and prints what one of its items costs.
///
/// - Parameter work: Returns how many items it dealt with.
func reportPart(_ part: String, per item: String, _ work: () throws -> Int) throws {
    let (nanoseconds, items) = try processorNanoseconds(work)
    try report(part, per: item, items, nanoseconds)
}
