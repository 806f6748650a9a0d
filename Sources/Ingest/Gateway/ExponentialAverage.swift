/// The exponential moving average of a measurement.
struct ExponentialAverage {
    /// The weight of a new measurement.
    private static let weight = 0.3

    private(set) var value: Double

    mutating func add(_ measurement: Double) { value += Self.weight * (measurement - value) }
}
