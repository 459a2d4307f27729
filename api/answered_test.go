package api_test

import (
	"fmt"
	"os"
	"slices"

	"github.com/procession-dev/procession/internal/testkit/apitest"
)

// neverAnswered are the documented members and enum values that answers to these
// tests need not have. Everything else of the two versions must occur in one.
func neverAnswered() map[string][]string {
	return map[string][]string{
		"the older version has no operation that answers so": {"A.ErrorCode=AI_RUN_PENDING", "A.ErrorCode=PATCH_FAILED"},
		"the failure is tested through the other version": {
			"A.DefaultErrorInfo.locationType=path", "A.ErrorCode=DOCUMENT_EXPIRED", "A.ErrorCode=INTERNAL",
			"A.ErrorCode=UNAUTHENTICATED", "A.ErrorCode=UNAVAILABLE", "B.DefaultErrorInfo.locationType=path",
			"B.ErrorCode=DOCUMENT_TOO_LARGE", "B.ErrorCode=DOCUMENT_TYPE",
		},
		"actions that end in an error or with a document are tested where workers end them": {
			"B.BusinessArtifactActionStatus=ERROR", "B.BusinessArtifactActionDownloadable.documentUri",
			"B.BusinessArtifactActionDownloadable.documentExpired",
		},
		"documents that cannot be read are tested where they are read": {
			"B.ProcessItemAiAssistanceDocument.problem=ENCRYPTED", "B.ProcessItemAiAssistanceDocument.problem=NO_TEXT",
			"B.ProcessItemAiAssistanceDocument.problem=TOO_LARGE", "B.ProcessItemAiAssistanceDocument.problem=TOO_MANY_DOCUMENTS",
			"B.ProcessItemAiAssistanceDocument.problem=TOO_SLOW", "B.ProcessItemAiAssistanceDocument.truncated",
		},
		"the tenants of these tests have the plan FREE": {"B.TenantPricingPlan=PREMIUM", "B.TenantPricingPlan=UNLIMITED"},
	}
}

// answersAreComplete reports whether the answers had all required members. It
// lists the missing ones, and entries of neverAnswered that are no longer
// needed.
func answersAreComplete() bool {
	var excepted, missing []string
	for _, names := range neverAnswered() {
		excepted = append(excepted, names...)
	}
	for _, shape := range []string{"A", "B"} {
		for _, name := range apitest.Contracts[shape].MissingMembers() {
			missing = append(missing, shape+"."+name)
		}
	}
	complete := true
	for _, name := range missing {
		if !slices.Contains(excepted, name) {
			fmt.Fprintln(os.Stderr, "documented, but in no answer:", name)
			complete = false
		}
	}
	for _, name := range excepted {
		if !slices.Contains(missing, name) {
			fmt.Fprintln(os.Stderr, "note: not an exception any more:", name)
		}
	}
	return complete
}
