import CallStacks
import HTMLText
import Pages

/// The results of a drop for the script of the pages, which shows them without opening a page.
struct DropResponse: Encodable {
    /// A report, which has a page.
    struct Report: Encodable {
        /// The name of its file.
        let name: String
        let location: String
    }

    /// A debug file or a rejected file.
    struct File: Encodable {
        let name: String
        let status: String
        @ExplicitNull var reason: String?
        @ExplicitNull var uuid: String?
        @ExplicitNull var architecture: String?
    }

    /// The maximum number of reports with pages of their own in the response.
    private static let reportLimit = 100

    /// The page of all results.
    let location: String
    /// The number of reports.
    let reports: Int
    /// The first reports.
    let reportPages: [Report]
    let files: [File]
    /// The names of files that are neither reports nor symbols.
    let notRead: [String]
    /// The effect of the symbols on waiting diagnostics, or `nil` if there is none.
    @ExplicitNull var message: String?

    init(_ dropped: DroppedFiles, _ id: String, _ site: PageSite) {
        location = site.link("r", id).text
        let all = dropped.allReports
        reports = all.count
        reportPages = all.prefix(Self.reportLimit).enumerated().map { number, report in
            Report(
                name: report.file.name,
                location: site.link("r", id, query: [("report", "\(number)")]).text)
        }
        files = dropped.results.map { result in
            File(
                name: result.name, status: result.status, reason: result.reason,
                uuid: result.image?.description, architecture: result.architecture)
        }
        notRead = dropped.unknown.map(\.name)
        let sentences = dropped.outcome.sentences
        message = sentences.isEmpty ? nil : sentences.joined(separator: " ")
    }
}
