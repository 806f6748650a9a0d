import Atos
import CallStacks
import Testing

@Suite("Lines of atos")
struct AtosTextTests {
    private let inlined = [
        AtosFunction(
            name: "ripeness(_:)",
            location: .file(SourceFile(folder: "/src", name: "Apple.swift"), line: 7)),
        AtosFunction(
            name: "pick()",
            location: .file(SourceFile(folder: "/src", name: "Tree.swift"), line: 42)),
    ]

    private func text(
        inlines: Bool = false, fullPaths: Bool = false, delimiter: String = ""
    ) -> AtosText {
        AtosText(showsInlinedCalls: inlines, usesFullPaths: fullPaths, delimiter: delimiter)
    }

    @Test("without -i only the outermost function has a line, with the line of its call")
    func outermost() {
        #expect(
            text().named(inlined, in: "Orchard", distance: 4)
                == "pick() (in Orchard) (Tree.swift:42)\n"
        )
    }

    @Test("with -i each function has a line, and a delimiter follows")
    func group() {
        let lines = """
            ripeness(_:) (in Orchard) (Apple.swift:7)
            pick() (in Orchard) (Tree.swift:42)

            """
        #expect(text(inlines: true).named(inlined, in: "Orchard", distance: 4) == lines + "\n")
        #expect(
            text(inlines: true, delimiter: "--").named(inlined, in: "Orchard", distance: 4)
                == lines + "--\n")
    }

    @Test("-fullPath prints the folder too")
    func fullPath() {
        #expect(
            text(fullPaths: true).named(inlined, in: "Orchard", distance: nil)
                == "pick() (in Orchard) (/src/Tree.swift:42)\n")
    }

    @Test("a line 0 stays 0, and compiler-generated code is marked")
    func noLine() {
        let file = SourceFile(folder: "", name: "Tree.swift")
        let zero = AtosFunction(name: "pick()", location: .file(file, line: 0))
        let generated = AtosFunction(name: "thunk for pick()", location: .compilerGenerated)
        #expect(
            text().named([zero], in: "Orchard", distance: 4)
                == "pick() (in Orchard) (Tree.swift:0)\n")
        #expect(
            text().named([generated], in: "Orchard", distance: 4)
                == "thunk for pick() (in Orchard) (<compiler-generated>:0)\n")
    }

    @Test("a symbol without a line has the distance from its start")
    func symbolOnly() {
        let function = AtosFunction(name: "pick()", location: .unknown)
        #expect(
            text().named([function], in: "Orchard", distance: 16) == "pick() (in Orchard) + 16\n")
    }

    @Test("an inlined call without a line has no distance, which is that of the outermost function")
    func inlinedSymbolOnly() {
        let functions = ["inner()", "pick()"].map { AtosFunction(name: $0, location: .unknown) }
        #expect(
            text(inlines: true).named(functions, in: "Orchard", distance: 16)
                == "inner() (in Orchard)\npick() (in Orchard) + 16\n\n")
    }

    @Test("a location without a name is an address of 8 digits, or of 16 if it needs more")
    func unnamed() {
        #expect(text().unnamed(0x10, in: "Orchard", distance: nil) == "0x00000010 (in Orchard)\n")
        #expect(
            text().unnamed(0x1_04a2_c010, in: "Orchard", distance: 8)
                == "0x0000000104a2c010 (in Orchard) + 8\n")
        #expect(
            text(inlines: true, delimiter: "--").unnamed(16, in: "Orchard", distance: nil)
                == "\n--\n")
        #expect(
            text(inlines: true).unnamed(16, in: "Orchard", distance: 8)
                == "0x00000010 (in Orchard) + 8\n\n")
    }

    @Test("a number that was not found is printed unchanged")
    func echo() {
        #expect(text().echo("0x0100".utf8) == Array("0x0100\n".utf8))
        #expect(text().echo([0xff, 0xfe]) == [0xff, 0xfe, 0x0a])
        let inlines = text(inlines: true, delimiter: "--")
        #expect(inlines.echo("0x0100".utf8) == Array("0x0100\n--\n".utf8))
    }

    @Test("a name cannot forge a line")
    func hostileName() {
        let function = AtosFunction(name: "a\nb", location: .unknown)
        #expect(text().named([function], in: "x\ny", distance: 0) == "a b (in x y) + 0\n")
    }

    @Test("an inlined call without a name keeps its line")
    func namelessInlinedCall() {
        let files = [SourceFile(folder: "/src", name: "Tree.swift")]
        let call = ResolvedFunction(
            status: .notFound, name: nil, file: 0, line: 3, column: 1, isApproximate: false,
            isInlined: true, isInSourceFile: true)
        #expect(
            AtosFunction(call, names: [], files: files)
                == AtosFunction(name: "??", location: .file(files[0], line: 3)))
    }

    @Test("a function without a name is ??, and one with an invalid file has no location")
    func answered() {
        func function(
            name: Int?, file: Int? = nil, isInSourceFile: Bool = true
        ) -> ResolvedFunction {
            ResolvedFunction(
                status: .symbolicated, name: name, file: file, line: 3, column: 1,
                isApproximate: false, isInlined: false, isInSourceFile: isInSourceFile)
        }
        let names = [
            FunctionName(linkageName: "$s1p", shown: "pick()", isCompilerGenerated: false)
        ]
        let files = [SourceFile(folder: "/src", name: "Tree.swift")]
        func atos(_ answer: ResolvedFunction) -> AtosFunction {
            AtosFunction(answer, names: names, files: files)
        }
        #expect(atos(function(name: nil)).name == "??")
        #expect(atos(function(name: 1)).name == "??")
        #expect(atos(function(name: 0, file: 0)).location == .file(files[0], line: 3))
        #expect(atos(function(name: 0, file: 9)).location == .unknown)
        #expect(atos(function(name: 0, isInSourceFile: false)).location == .compilerGenerated)
    }
}
