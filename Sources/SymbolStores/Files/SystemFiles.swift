import Archives
import Glibc

/// Returns the arguments of the process. Paths among them may be any bytes.
public func processArguments() -> [String] {
    (0..<Int(CommandLine.argc)).compactMap { index in
        unsafe CommandLine.unsafeArgv[index].map { argument in
            let bytes = unsafe UnsafeRawBufferPointer(start: argument, count: strlen(argument))
            return unsafe SystemPath.text(of: Array(bytes))
        }
    }
}

/// Returns the text of a path whose bytes need not be UTF-8, as from ``processArguments()``.
public func pathText(of bytes: some Sequence<UInt8>) -> String { SystemPath.text(of: Array(bytes)) }

/// Returns a path in the form in which it is shown and stored, with U+FFFD for each byte that is not
/// UTF-8. It opens no file.
public func shownPath(_ path: String) -> String { SystemPath.shown(path) }

/// Returns the name of a debug file's image: the file's name without the suffixes that debug files
/// add to it.
///
/// - Parameter path: The path or name of the file.
public func imageName(ofDebugFile path: String) -> String {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    let suffix = debugFileSuffixes.first { name.hasSuffix($0) && name != $0 }
    return String(name.dropLast(suffix?.count ?? 0))
}

/// The suffixes of separate debug files.
let debugFileSuffixes = [".debug", ".dbg"]

/// Opens a file for reading.
///
/// - Returns: Its descriptor, or a negative number with `errno`.
public func openForReading(_ path: String) -> Int32 {
    unsafe open(SystemPath.bytes(of: path), O_RDONLY | O_CLOEXEC)
}

/// Creates a folder and its enclosing folders, unless they exist.
///
/// - Returns: Whether the folder exists.
public func makeFolders(_ path: String) -> Bool {
    var position = path.startIndex
    while position < path.endIndex {
        let slash = path[position...].firstIndex(of: "/") ?? path.endIndex
        let folder = String(path[..<slash])
        if !folder.isEmpty { _ = unsafe mkdir(SystemPath.bytes(of: folder), 0o777) }
        position = slash == path.endIndex ? slash : path.index(after: slash)
    }
    return (try? FileStatus(of: path))?.kind == .folder
}
