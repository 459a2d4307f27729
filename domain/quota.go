package domain

import "fmt"

// Quotas limit a tenant's use of storage and of paid services. Waiting a moment does not help, so exceeding one
// is a CONFLICT.
type Quotas struct {
	// TemporaryDocuments and TemporaryBytes limit the documents without references. One principal may have a
	// quarter of each.
	TemporaryDocuments, TemporaryBytes int64
	// AssistancePerDay is how many runs of AI assistance may begin on a day (UTC), AssistanceAtOnce how many may
	// run at a time.
	AssistancePerDay, AssistanceAtOnce int
}

// DefaultQuotas returns the quotas that apply unless configured otherwise.
func DefaultQuotas() Quotas {
	return Quotas{
		TemporaryDocuments: 20_000, TemporaryBytes: 20 << 30, AssistancePerDay: 1000, AssistanceAtOnce: 100,
	}
}

// principalShare is the divisor of a tenant's quota for one principal.
const principalShare = 4

// DocumentUse is a number of documents and their total size in bytes.
type DocumentUse struct{ Documents, Bytes int64 }

// AdmitDocument refuses a document that exceeds a quota. all counts the other temporary documents of the tenant, own
// the principal's.
func (q Quotas) AdmitDocument(all, own DocumentUse, size int64) error {
	for _, quota := range []struct {
		use              DocumentUse
		documents, bytes int64
		whose            string
	}{
		{own, max(1, q.TemporaryDocuments/principalShare), q.TemporaryBytes / principalShare, "you have"},
		{all, q.TemporaryDocuments, q.TemporaryBytes, "the tenant has"},
	} {
		if quota.use.Documents+1 > quota.documents || quota.use.Bytes+size > quota.bytes {
			return Conflict(CodeConflict, fmt.Sprintf(
				"%s %d temporary documents with %d bytes already; at most %d with %d bytes are allowed: save values that refer to them, or wait until they expire",
				quota.whose, quota.use.Documents, quota.use.Bytes, quota.documents, quota.bytes))
		}
	}
	return nil
}

// AssistanceUse is how many runs of assistance a tenant has begun today, and how many are running.
type AssistanceUse struct{ Today, Pending int }

// AdmitAssistance refuses a run that exceeds a quota.
func (q Quotas) AdmitAssistance(use AssistanceUse) error {
	switch {
	case use.Today >= q.AssistancePerDay:
		return Conflict(CodeConflict, fmt.Sprintf(
			"the tenant has started %d runs of AI assistance today, its limit per day; the day ends at midnight UTC", use.Today))
	case use.Pending >= q.AssistanceAtOnce:
		return Conflict(CodeConflict, fmt.Sprintf(
			"%d runs of AI assistance of the tenant are in progress, its limit at once", use.Pending))
	}
	return nil
}
