/// The attributes that determine the name of a function.
struct NameAttributes {
    let linkageName: TextValue?
    let plainName: TextValue?
    /// Another entry for the same function, or `nil`.
    let origin: EntryReference?
    /// Whether a part of the name is in a supplementary file.
    let isInSupplementaryFile: Bool

    /// The maximum length of a chain of origins.
    static let hopsLimit = 16

    @inline(__always)
    init(_ values: borrowing EntryValues) {
        linkageName = values.text(.linkageName)
        plainName = values.text(.name)
        origin = values.reference(.abstractOrigin) ?? values.reference(.specification)
        isInSupplementaryFile =
            values.isInSupplementaryFile(.linkageName) || values.isInSupplementaryFile(.name)
            || values.isInSupplementaryFile(.abstractOrigin)
            || values.isInSupplementaryFile(.specification)
    }
}
