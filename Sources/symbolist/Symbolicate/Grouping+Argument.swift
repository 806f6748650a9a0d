public import ArgumentParser
public import FlameGraphs

extension FlameGraphBuilder.Grouping: ExpressibleByArgument {}
