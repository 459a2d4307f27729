// Package persistence stores the service's data in PostgreSQL with hand-written SQL. Only it and the packages below it
// contain SQL: packages with tables of their own, and internal/pg and internal/listquery, which build statements. One file
// holds the queries of one resource; migrations holds the schema.
//
// A list is a value of listquery.List: table, visibility, filters, columns of the order with their indexes, stored counts.
// ReadPage reads a page and the total of it. The statements of each list are in testdata/lists;
// go test ./persistence -run TestListStatements -update writes them, and their diff shows the effect of a change.
//
// Writes go through DB.Write and cost two round trips: one that opens the transaction and reads under lock the rows that
// the rules depend on, one that sends every queued statement together with the commit. Reads go through Reader and
// cost one. Reads are values; Both executes two of them in one round
// trip.
//
// Visibility is part of the SQL: rows that are not visible to the caller are neither found nor counted.
// internal/access is its one definition. Queries that depend on it take the caller's principal id as $1 and the
// caller's tenants as $2.
package persistence
