/// Formats limits for messages.
package enum ByteSizeFormat {
    /// Returns a number of bytes in the largest unit that is exact, such as `2 GiB`.
    package static func text(_ bytes: Int64) -> String {
        for (shift, unit) in [(30, "GiB"), (20, "MiB"), (10, "KiB")]
        where bytes >= 1 << shift && bytes & (1 << shift - 1) == 0 {
            return "\(bytes >> shift) \(unit)"
        }
        return "\(bytes) bytes"
    }
}
