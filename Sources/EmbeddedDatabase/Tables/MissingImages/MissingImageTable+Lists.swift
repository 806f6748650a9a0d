import CallStacks
import GRDB
import Ingest

extension MissingImageTable {
    func list(_ query: MissingListQuery) throws -> [ListedMissingImage] {
        let list = MissingListStatement(query)
        let images = try db.all(list.sql, list.arguments) { row in try image(row, query) }
        return query.after == nil ? images : images.reversed()
    }

    private func image(_ row: Row, _ query: MissingListQuery) throws -> ListedMissingImage {
        let (owner, ids): (String, String) = (row["app"], row["ids"])
        let app = try owner.isEmpty ? query.app ?? AppVersionTable(db).newestApp(of: ids) : owner
        var image = try MissingImage(
            row, appVersions: try AppVersionTable(db).versions(of: ids, app: app))
        if !image.isInApp, query.boundApp == nil {
            image.systems = try MissingSystemTable(db).systems(of: ids)
        }
        return ListedMissingImage(
            position: MissingListQuery.Position(key: row["waiting"], id: row["place"]), app: app,
            image: image)
    }
}
