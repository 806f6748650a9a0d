private import CPageAssets

/// The files that all pages share. They are part of the executable.
public enum PageAssets {
    public static var styleSheet: [UInt8] {
        unsafe bytes(from: page_style_sheet_start(), count: page_style_sheet_size())
    }

    public static var script: [UInt8] {
        unsafe bytes(from: page_script_start(), count: page_script_size())
    }

    public static var icon: [UInt8] {
        unsafe bytes(from: page_icon_start(), count: page_icon_size())
    }

    private static func bytes(from start: UnsafePointer<UInt8>, count: Int) -> [UInt8] {
        unsafe Array(UnsafeBufferPointer(start: start, count: count))
    }
}
