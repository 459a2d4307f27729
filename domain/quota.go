package domain

import "fmt"

// Quotas are how much of what costs storage or money a tenant may have. They are
// not cured by waiting a moment, so what exceeds one is a CONFLICT.
type Quotas struct {
	// TemporaryDocuments and TemporaryBytes are of the documents that no value refers
	// to yet. One principal may have a quarter of each.
	TemporaryDocuments, TemporaryBytes int64
	// AssistancePerDay is how many runs of AI assistance may begin on a day (UTC),
	// AssistanceAtOnce how many may be worked on.
	AssistancePerDay, AssistanceAtOnce int
}

// DefaultQuotas are those that hold unless the configuration says otherwise.
func DefaultQuotas() Quotas {
	return Quotas{
		TemporaryDocuments: 20_000, TemporaryBytes: 20 << 30, AssistancePerDay: 1000, AssistanceAtOnce: 100,
	}
}

// principalShare is the part of a tenant's quota that one principal may have: one
// of so many.
const principalShare = 4

// DocumentUse is how many documents there are, and how many bytes they have.
type DocumentUse struct{ Documents, Bytes int64 }

// AdmitDocument refuses a document of a size where all has the temporary documents
// of the tenant, and own those of the principal, without it.
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

// AssistanceUse is how many runs of assistance a tenant has begun today, and how
// many are being worked on.
type AssistanceUse struct{ Today, Pending int }

// AdmitAssistance refuses a run more than is allowed.
func (q Quotas) AdmitAssistance(use AssistanceUse) error {
	switch {
	case use.Today >= q.AssistancePerDay:
		return Conflict(CodeConflict, fmt.Sprintf(
			"the tenant has begun %d runs of AI assistance today, which is what it may on a day; the day ends at midnight UTC", use.Today))
	case use.Pending >= q.AssistanceAtOnce:
		return Conflict(CodeConflict, fmt.Sprintf(
			"%d runs of AI assistance of the tenant are being worked on, which is what it may have at once", use.Pending))
	}
	return nil
}
