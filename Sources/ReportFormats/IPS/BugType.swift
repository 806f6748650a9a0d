import CallStacks
import JSONText

/// Apple's number for a kind of report. It is only a label; formats are detected from the content.
package struct BugType: RawRepresentable {
    package let rawValue: UInt64

    package init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Reads a number, or a string of digits.
    init?(_ value: JSONValue?) {
        guard let value, let number = value.unsigned ?? value.string.flatMap({ UInt64($0) })
        else { return nil }
        self.init(rawValue: number)
    }

    var kind: DiagnosticKind? {
        switch rawValue {
        case 309, 109, 9: .crash
        case 222, 223, 310, 228, 328, 239, 242, 243, 207, 11, 12: .hang
        case 202, 206, 157, 174, 220, 23, 44: .cpuException
        case 142, 144, 145: .diskWriteException
        case 238, 248: .appLaunch
        case 308, 385, 185, 22, 227, 327: .unknown
        default: nil
        }
    }

    /// The name of a kind of report other than a crash.
    var label: String? {
        switch rawValue {
        case 308: "not a crash: a fault that the process survived"
        case 385, 185, 22, 227, 327: "resource limit"
        default: nil
        }
    }

    /// The reason why reports of this kind have no stacks, or none that can be read.
    package var unreadReason: UnreadReason? {
        switch rawValue {
        case 298, 198, 98: .jetsam
        case 210, 110, 10, 410, 151: .kernelPanic
        case 288, 188, 409, 509: .stackshot
        case 211: .analytics
        default: nil
        }
    }
}
