public import ArgumentParser
public import CallStacks

extension RedactionLevel: ExpressibleByArgument {}
