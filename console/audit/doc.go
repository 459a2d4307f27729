// Package audit is where administrators read the ledger: who did what, when, on which
// resource.
package audit
