import ByteReading
import ELF
import MachO

extension FuzzTarget {
    func readMachO(_ input: [UInt8]) {
        let file = FileBytes(input)
        guard let fat = FatFile(file) else { return readMachOImage(file) }
        for slice in fat.slices {
            if case .success(let bytes) = slice.bytes { readMachOImage(bytes) }
        }
    }

    private func readMachOImage(_ file: FileBytes) {
        guard let image = try? MachOImage(file) else { return }
        _ = image.layout
        for section in image.sections { _ = try? image.bytes(of: section) }
        if let symbols = try? image.symbols() {
            _ = try? symbols.forEach { _ = symbols.names.string(of: $0.name) }
            _ = try? symbols.namesObjectFiles()
        }
        try? image.forEachFunctionStart { _ in }
    }

    func readELF(_ input: [UInt8]) {
        guard let image = try? ELFImage(FileBytes(input)) else { return }
        _ = image.layout
        _ = image.namesInterpreter
        _ = image.lacksCodeBytes
        for section in image.sections {
            _ = try? image.bytes(of: section)
            _ = try? image.compression(of: section)
        }
        if let symbols = try? image.symbols() {
            _ = try? symbols.forEach { _ = symbols.names.string(of: $0.name) }
        }
        _ = try? image.debugLink()
        _ = try? image.debugAlternateLink()
    }
}
