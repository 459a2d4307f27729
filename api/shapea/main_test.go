package shapea_test

import (
	"os"
	"testing"

	"github.com/procession-dev/procession/test/kit/apitest"
)

func TestMain(m *testing.M) {
	os.Exit(apitest.MainOfShape(m, "A", map[string][]string{
		"no operation of this version answers so": {"ErrorCode=AI_RUN_PENDING", "ErrorCode=PATCH_FAILED", "ErrorCode=PATCH_TOO_COSTLY"},
		"the failure is tested through the other version": {
			"ErrorCode=DOCUMENT_EXPIRED", "ErrorCode=FEATURE_DISABLED", "ErrorCode=INTERNAL", "ErrorCode=UNAVAILABLE",
		},
		"what both versions have is tested beside the other one": {
			"Worker.installationId", "Worker.robotIds", "actionsTaskDownloadElementValueRendered 206",
		},
	}))
}
