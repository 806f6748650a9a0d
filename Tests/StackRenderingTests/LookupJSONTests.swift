import CallStacks
import Foundation
import JSONText
import StackRendering
import Testing

@Suite("JSON of looked-up offsets")
struct LookupJSONTests {
    private let names = [
        FunctionName(linkageName: "_Z1f\"", shown: "f\"", isCompilerGenerated: false),
        FunctionName(linkageName: "$s1tTA", shown: "t", isCompilerGenerated: true),
    ]
    private let files = [SourceFile(folder: "/src", name: "a.c")]

    private func function(
        _ name: Int?, _ file: Int?, line: UInt32, isInlined: Bool = false,
        isInSourceFile: Bool = true
    ) -> ResolvedFunction {
        ResolvedFunction(
            status: name == nil ? .notFound : .symbolicated, name: name, file: file, line: line,
            column: 0, isApproximate: false, isInlined: isInlined, isInSourceFile: isInSourceFile)
    }

    private func result(_ functions: [ResolvedFunction]) -> OffsetLookupResult {
        OffsetLookupResult(
            Example.shop, ImageOffset(20), .symbolicated, functions: functions,
            functionStart: ImageOffset(4))
    }

    @Test("a frame has its texts by number, and repeated ones are equal")
    func texts() {
        let known = function(0, 0, line: 7, isInlined: true)
        let unknown = function(nil, nil, line: 0, isInSourceFile: false)
        var json = LookupJSON()
        var writer = JSONWriter()
        json.learn(names: names, files: files)
        json.write(result([known, unknown]), named: "Shop", to: &writer)
        let head = """
            {"image":"Shop","uuid":"\(Example.shop)","offset":20,"address":null,
            """
        let expected = """
            {"uuid":"\(Example.shop)","offset":20,"frames":[\
            \(head)"status":"symbolicated","in_app":true,"function":"f\\"","mangled":"_Z1f\\"",\
            "function_offset":null,"file":"a.c","path":"/src/a.c","line":7,"column":null,\
            "approximate":false,"inlined":true,"compiler_generated":false},\
            \(head)"status":"not_found","in_app":true,"function":null,"mangled":null,\
            "function_offset":16,"file":null,"path":null,"line":0,"column":null,\
            "approximate":false,"inlined":false,"compiler_generated":true,\
            "reason":"no function at this offset"}],"status":"symbolicated"}
            """
        #expect(writer.text == expected)
        writer.removeAll()
        json.write(result([known, unknown]), named: "Shop", to: &writer)
        #expect(writer.text == expected)
    }

    @Test("a frame in a system image is not the app's")
    func systemImage() {
        var json = LookupJSON()
        var writer = JSONWriter()
        json.learn(names: names, files: files)
        var result = result([function(0, nil, line: 0)])
        result.isOfSystem = true
        json.write(result, named: "ViewKit", to: &writer)
        #expect(writer.text.contains("\"in_app\":false"))
    }

    @Test("texts may be added gradually, and another image has its own members")
    func learning() throws {
        var json = LookupJSON()
        var writer = JSONWriter()
        json.learn(names: [names[0]], files: [])
        json.write(result([function(0, nil, line: 0)]), named: "Shop", to: &writer)
        json.learn(names: names, files: files)
        var other = result([function(1, 0, line: 3)])
        other.image = Example.pay
        writer.removeAll()
        json.write(other, named: nil, to: &writer)
        let line = try #require(
            try JSONSerialization.jsonObject(with: Data(writer.bytes)) as? [String: Any])
        let frame = try #require((line["frames"] as? [[String: Any]])?.first)
        #expect(line["uuid"] as? String == Example.pay.description)
        #expect(frame["uuid"] as? String == Example.pay.description)
        #expect(frame["image"] is NSNull)
        #expect(frame["function"] as? String == "t")
        #expect(frame["path"] as? String == "/src/a.c")
        #expect(frame["compiler_generated"] as? Bool == true)
    }

    @Test("an invalid query has a result too")
    func unreadable() {
        var writer = JSONWriter()
        LookupJSON().write(unreadable: "no", status: .unknownImage, to: &writer)
        #expect(
            writer.text == #"{"uuid":"no","offset":null,"frames":[],"status":"unknown_image"}"#)
    }
}
