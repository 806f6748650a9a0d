import CallStacks
import Foundation
import GRDB
import Ingest

/// The rows of missing images that match a query, apart from its limit.
struct MissingImageFilter {
    /// A table or subquery with the columns of `missing_image`.
    private(set) var source = MissingImageTable.unstoredImages
    private(set) var condition = "true"
    /// The arguments of ``source`` and ``condition``, in this order.
    private(set) var arguments = StatementArguments()

    init(_ query: MissingQuery) {
        if let app = query.boundApp {
            source = "(\(MissingImageTable.missingOfOneApp))"
            arguments += [app, app, app]
        }
        if let scope = query.scope {
            condition += " AND in_app = ?"
            arguments += [scope == .app]
        }
        if let image = query.image {
            condition += " AND image = ?"
            arguments += [Data(image.bytes)]
        }
        if let app = query.app {
            condition += " AND id IN (SELECT image FROM image_version WHERE app = ?)"
            arguments += [app]
        }
    }
}
