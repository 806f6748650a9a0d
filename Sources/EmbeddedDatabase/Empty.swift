// EmbeddedDatabase
