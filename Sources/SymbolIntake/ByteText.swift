/// How limits are told to people.
enum ByteText {
    /// `2 GiB`, or the largest unit that says a number of bytes exactly.
    static func text(_ bytes: Int64) -> String {
        for (shift, unit) in [(30, "GiB"), (20, "MiB"), (10, "KiB")]
        where bytes >= 1 << shift && bytes & (1 << shift - 1) == 0 {
            return "\(bytes >> shift) \(unit)"
        }
        return "\(bytes) bytes"
    }
}
