// Package listquery builds the statements of lists. A List is data: the table of its rows, conditions of visibility,
// filters, the columns of its order with their indexes, and stored counts. Rows, Total and Page make SQL of it.
//
// A page is read in one of these ways:
//
//   - by the plan of PostgreSQL, if there are filters or no index has the order (rows);
//   - along the definitions, or tenants, that make rows visible to the caller, each in the order of an index (walkedRows);
//   - in the order of all rows instead, if the stored counts say that nearly all are visible (WalkAndTenantIndex);
//   - first the rows with a value, then the others, in the order of a column that can be null (valuedRows).
//
// A total adds stored counts and the few rows that they do not cover, or counts rows where a filter is about columns that
// the counts do not have.
package listquery
