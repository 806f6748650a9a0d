public import ArgumentParser
public import ReportProcessing

extension OutputFormat: ExpressibleByArgument {}
