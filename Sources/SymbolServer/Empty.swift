// SymbolServer
