import FuzzDriver

@_cdecl("LLVMFuzzerInitialize")
func start(count: FuzzArgumentCount, values: FuzzArguments) -> CInt {
    startFuzzing(.sharedCache)
}
