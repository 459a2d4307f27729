package shapeb_test

import (
	"os"
	"testing"

	"github.com/procession-dev/procession/test/kit/apitest"
)

func TestMain(m *testing.M) {
	os.Exit(apitest.MainOfShape(m, "B", map[string][]string{
		"the failure is tested through the other version": {"ErrorCode=DOCUMENT_TYPE"},
		"actions that end with a document are tested where workers end them": {
			"BusinessArtifactActionDownloadable.documentUri", "BusinessArtifactActionDownloadable.documentExpired",
		},
		"documents that cannot be read are tested where they are read": {
			"ProcessItemAiAssistanceDocument.problem=ENCRYPTED", "ProcessItemAiAssistanceDocument.problem=NO_TEXT",
			"ProcessItemAiAssistanceDocument.problem=TOO_LARGE", "ProcessItemAiAssistanceDocument.problem=TOO_MANY_DOCUMENTS",
			"ProcessItemAiAssistanceDocument.problem=TOO_SLOW", "ProcessItemAiAssistanceDocument.truncated",
		},
		"notifications are tested where they are written": {
			"NotificationKind=CLAIMABLE", "NotificationKind=DUE_SOON", "NotificationKind=OVERDUE",
		},
		"the tenants of these tests have the plan FREE": {"TenantPricingPlan=PREMIUM", "TenantPricingPlan=UNLIMITED"},
	}))
}
