/// UIKit, as far as this app uses it: it never returns, and calls `orchard_button_tapped` from its run loop.
@_silgen_name("UIApplicationMain")
func applicationMain(_ argc: Int32, _ argv: UnsafeRawPointer?, _ app: UnsafeRawPointer?, _ delegate: UnsafeRawPointer?) -> Int32

@main
struct OrchardApp {
    static func main() {
        let status = applicationMain(0, nil, nil, nil)  // @line app.main
        finish(status)
    }

    @inline(never)
    static func finish(_ status: Int32) {}
}
