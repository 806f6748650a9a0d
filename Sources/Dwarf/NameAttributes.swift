/// The attributes that lead to the name of a function.
struct NameAttributes {
    let linkageName: TextValue?
    let plainName: TextValue?
    /// The entry that says more of the same function, an offset into `.debug_info`.
    let origin: UInt64?
    /// Whether a part of the name is in a supplementary file.
    let isInSupplementaryFile: Bool

    /// The longest chain of origins that is followed, in steps.
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
