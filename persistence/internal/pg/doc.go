// Package pg builds SQL queries and scans their rows, and makes errors of the service of errors of PostgreSQL. Transactions
// and readers of persistence take its queries, so only the packages below persistence can have SQL carried out.
package pg
