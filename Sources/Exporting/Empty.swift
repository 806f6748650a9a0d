// Exporting
