private import CUploadScript

/// The script that uploads symbols from a Mac: `Scripts/upload-symbols`, which is part of the
/// executable.
enum UploadScript {
    /// The placeholder for the service's address.
    private static let placeholder = "@SERVER@"

    /// - Parameter server: The address of the service, or an empty string if it is not known. Must
    ///   contain only characters that need no quotes in a shell.
    static func text(server: String) -> String {
        text.replacing(placeholder, with: server, maxReplacements: 1)
    }

    private static let text = unsafe String(
        decoding: UnsafeBufferPointer(start: upload_script_start(), count: upload_script_size()),
        as: UTF8.self)
}
