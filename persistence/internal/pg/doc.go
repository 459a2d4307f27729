// Package pg builds SQL queries and scans their rows: lists with filters and order, errors of
// PostgreSQL as errors of the service. Transactions and readers of persistence take its queries, so only the packages
// below persistence can have SQL carried out.
package pg
