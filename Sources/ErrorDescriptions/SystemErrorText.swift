import Foundation
import Glibc

/// The system's text for an `errno`, in lower case.
struct SystemErrorText {
    let text: String
    /// The `errno`.
    let number: Int32

    init(number: Int32) {
        self.number = number
        text =
            switch number {
            case ECONNRESET, EPIPE: "connection was closed"
            // The system's text contains a slash, like a path.
            case EIO: "read or write failed"
            case EHOSTUNREACH, ENETUNREACH: "no route to host"
            default: unsafe String(cString: strerror(number)).lowercased()
            }
    }

    /// Returns `nil` if the error is not a system error.
    init?(_ error: any Error) {
        let error = error as NSError
        switch error.domain {
        case NSPOSIXErrorDomain: self.init(number: Int32(clamping: error.code))
        case NSCocoaErrorDomain:
            if let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError,
                cause.domain == NSPOSIXErrorDomain
            {
                self.init(number: Int32(clamping: cause.code))
            } else {
                self.init(number: Self.number(ofFileError: error.code))
            }
        default: return nil
        }
    }

    private static func number(ofFileError code: Int) -> Int32 {
        switch CocoaError.Code(rawValue: code) {
        case .fileNoSuchFile, .fileReadNoSuchFile: ENOENT
        case .fileReadNoPermission, .fileWriteNoPermission: EACCES
        case .fileWriteOutOfSpace: ENOSPC
        case .fileWriteFileExists: EEXIST
        case .fileWriteVolumeReadOnly: EROFS
        default: EIO
        }
    }
}
