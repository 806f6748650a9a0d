public import CallStacks
import SymbolStores
public import Symbolication

/// The part of ``StoredSymbolIndexes`` that an access includes.
public struct StoredSymbolProvider: SymbolProvider {
    let symbols: StoredSymbolIndexes
    let access: DebugFileAccess

    public func cachedSymbols(for image: ImageID) -> SymbolSupply? {
        symbols.cachedSymbols(for: image, access: access)
    }

    public func symbols(for image: ImageID) async -> SymbolSupply {
        await symbols.symbols(for: image, access: access)
    }

    public func symbols(replacingDamagedIndexOf image: ImageID) async -> SymbolSupply {
        await symbols.symbols(replacingDamagedIndexOf: image, access: access)
    }

    public func imageName(of image: ImageID) -> String? {
        symbols.cachedFile(of: image, access: access).map { file in
            SymbolStores.imageName(ofDebugFile: file.name)
        }
    }
}
