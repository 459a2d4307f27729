// Package pg is what statements are made of: queries and their scans, lists with filters and order, errors of
// PostgreSQL as those of the service. Transactions and readers of persistence take its queries, so only the packages
// below persistence can have SQL carried out.
package pg
