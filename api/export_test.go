package api

import "github.com/procession-dev/procession/api/httpio"

// Documents returns the documents of the contracts that a router mounts, with the
// sizes in bytes that bodies may have.
func Documents() map[string]int64 {
	documents := map[string]int64{}
	for _, c := range listContracts(Options{}) {
		documents[c.document] = max(c.bodyLimit, httpio.DefaultBodyLimit)
	}
	return documents
}
